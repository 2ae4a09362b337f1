#!/usr/bin/env python3
"""`fairway up --prometheus`: a real Prometheus answers the queries of all members, whatever their own files say."""
import pathlib
import shutil
import sys
import tempfile

from cluster_version import recommended
from prometheus import Exporter, Prometheus
from up import Up
from update_service import case, equal, eventually, finish, not_run

if not shutil.which("prometheus"):
    not_run("there is no prometheus")

ON_VSPHERE = ['cluster_infrastructure_provider{type="VSphere"} 1', 'cluster_proxy_enabled{type="http"} 0']


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cluster = Exporter(ON_VSPHERE)
        prometheus = Prometheus(folder / "prometheus", cluster)
        prometheus.wait_for("cluster_infrastructure_provider")
        try:
            with Up(folder / "data", members=3, flags=["--prometheus", prometheus.url]) as up, case("it is asked, and not the files"):
                for member in ("member1", "member2", "member3"):
                    eventually(lambda: recommended(up.version(member), "4.7.4") == ("False", "MultipleReasons"), f"{member} is on vSphere")
                    risks = up.version(member)["status"]["conditionalUpdateRisks"]
                    equal("but not behind a proxy", [each["name"] for each in risks if each["conditions"][0]["status"] == "True"],
                          ["VSphereHW14CrossNodeNetworkingError", "VSphereNodeNameChanges"])
        finally:
            prometheus.stop()
            cluster.stop()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
