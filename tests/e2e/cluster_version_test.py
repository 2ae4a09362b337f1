#!/usr/bin/env python3
"""The story of the seed, with everything real: update service, API server, registry, signatures, Prometheus, the operator and
the upgrade command; and then once more without any Prometheus. Texts are compared with golden files."""
import pathlib
import shutil
import tempfile

import seed_story
from cluster_version import ApiServer, Controllers, Signer, condition, golden, payload_files, recommended, upgrade
from docker_registry import Registry
from prometheus import Exporter, Prometheus
from update_service import Service, case, check, contains, equal, eventually, finish, not_run

for program in ("prometheus", "docker-registry", "gpg", "gpgv"):
    if not shutil.which(program):
        not_run(f"there is no {program}")


def plain(text, image):
    """Without what differs from run to run: the registry's port and the digest of the payload made here."""
    return text.replace(image, seed_story.IMAGES["4.7.4"])


def all_told(api, cluster):
    """Every conditional update has its verdict: none is waiting for a query."""
    found = api.get(cluster=cluster)
    verdicts = {one: recommended(found, one) for one in ("4.7.4", "4.6.30", "4.6.99-example")}
    waiting = any(reason in (None, "EvaluationPending") or "not evaluated yet" in str(condition(update, "Recommended"))
                  for (_, reason), update in zip(verdicts.values(), found["status"].get("conditionalUpdates", [{}] * 3)))
    return None if waiting else verdicts


def tell_the_story(api, cluster, image, signed):
    with case(f"{cluster}: verdicts"):
        verdicts = eventually(lambda: all_told(api, cluster), "all risks are evaluated")
        equal("verdicts", verdicts, {"4.7.4": ("False", "MultipleReasons"), "4.6.30": ("False", "ThanosDNSUnmarshalError"),
                                     "4.6.99-example": ("Unknown", "PromQLError")})

    with case(f"{cluster}: 68, 69 the three outputs of the seed"):
        code, out, err = upgrade(api, context=cluster)
        equal("list: exit code and warnings", (code, err), (0, ""))
        golden("list.txt", plain(out, image))
        code, out, err = upgrade(api, "--include-not-recommended", context=cluster)
        equal("all: exit code and warnings", (code, err), (0, ""))
        golden("list_all.txt", plain(out, image))

    with case(f"{cluster}: 70 not recommended: refused, and nothing changes"):
        before = api.get(cluster=cluster)["spec"]
        code, out, err = upgrade(api, "--to", "4.7.4", context=cluster)
        equal("exit code", code, 3)
        golden("refused.txt", plain(out + err, image))
        equal("spec", api.get(cluster=cluster)["spec"], before)

    with case(f"{cluster}: 70, 61 allowed: applied, with what was accepted on record"):
        code, out, err = upgrade(api, "--to", "4.7.4", "--allow-not-recommended", context=cluster)
        equal("exit code", code, 0)
        golden("allowed.txt", plain(out + err, image))
        equal("requested", api.get(cluster=cluster)["spec"]["desiredUpdate"], {"architecture": "", "force": False, "image": image, "version": "4.7.4"})
        done = eventually(lambda: (found := api.get(cluster=cluster))["status"]["history"][0]["state"] == "Completed"
                          and found["status"]["history"][0]["version"] == "4.7.4" and found, "the update is complete")
        entry = done["status"]["history"][0]
        check("verified", entry["verified"] is True, entry)
        equal("two entries", len(done["status"]["history"]), 2)
        golden("accepted_risks.txt", entry["acceptedRisks"])
        equal("progress", condition(done, "Progressing")["message"], "Cluster version is 4.7.4")
        for name in ("etcd", "apiserver", "network", "console"):
            found = api.get(f"/api/v1/namespaces/default/configmaps/{name}", cluster)
            equal(name, found["data"], {"release": "4.7.4"})
            equal(f"{name} was applied once", [one["operation"] for one in found["metadata"]["managedFields"]], ["Apply"])

    with case(f"{cluster}: history as people read it"):
        code, out, _ = upgrade(api, "history", "-o", "wide", context=cluster)
        equal("exit code", code, 0)
        contains("history", out, "Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.")


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="fairway-cluster-version-"))
    registry = Registry(work / "registry").start()
    signer = Signer(work / "signer")
    digest = registry.push("ocp-release:4.7.4", [payload_files("4.7.4")])
    signer.sign(digest)
    image = f"{registry.host}/ocp-release@{digest}"
    data, releases = seed_story.write_graph_data(work, {"4.7.4": image})
    metrics = Exporter(seed_story.METRICS.splitlines())
    prometheus = Prometheus(work / "prometheus", metrics)
    prometheus.wait_for("cluster_infrastructure_provider")
    api = ApiServer(work / "api")
    release_flags = ["--plain-registry", registry.host, "--signature-store", signer.store, "--signature-keyring", signer.keyring]
    try:
        with Service("--graph-data", data, "--releases", releases) as updates:
            updates.wait_until_ready()
            flags = [*release_flags, "--update-service", f"http://127.0.0.1:{updates.port}/graph"]
            for cluster in ("hub", "member1"):
                api.create_cluster_version("stable-4.6", seed_story.IMAGES["4.6.23"], upstream=seed_story.UPSTREAM, cluster=cluster)
            with Controllers(api, *flags, "--prometheus", prometheus.url, context="hub") as operator:
                tell_the_story(api, "hub", image, signer)
                with case("metrics under the names that dashboards know"):
                    text = operator.metrics()
                    contains("available", text, f'cluster_version_available_updates{{upstream="{seed_story.UPSTREAM}",channel="stable-4.6"}}')
                    contains("current", text, 'cluster_version{type="current",version="4.7.4"')
            prometheus.stop()
            (work / "cluster.prom").write_text(seed_story.METRICS)
            with Controllers(api, *flags, "--scrape", work / "cluster.prom", context="member1"):
                tell_the_story(api, "member1", image, signer)
    finally:
        api.stop()
        metrics.stop()
        registry.stop()
        signer.stop()
        prometheus.stop()
    shutil.rmtree(work, ignore_errors=True)
    finish()


main()
