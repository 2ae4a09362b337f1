"""What the tests of the cluster agent share: a hub with members, agents with their own tokens, policies of any shape."""
import json
import os
import pathlib
import subprocess

from cluster_version import ApiServer, Daemon
from update_service import PATIENCE, ROOT, eventually

GROUP = "policy.open-cluster-management.io/v1"
DEPLOY = ROOT / "deploy" / "agent"


def configuration(name, *templates, **spec):
    """A ConfigurationPolicy as it stands in a policy."""
    return {"apiVersion": GROUP, "kind": "ConfigurationPolicy", "metadata": {"name": name},
            "spec": {"severity": "low", "object-templates": list(templates), **spec}}


def wants(rule, definition, **more):
    return {"complianceType": rule, "objectDefinition": definition, **more}


def config_map(name, namespace=None, data=None):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **({"data": data} if data is not None else {})}


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, **({"labels": labels} if labels else {})}}


class Member:
    """A managed cluster, its namespace on the hub and its agent, which has the rights of deploy/agent and no others."""

    def __init__(self, api, folder, name):
        self.api, self.folder, self.name = api, folder, name
        for context, files in (("hub", ["hub.yaml"]), (name, ["cluster.yaml", "objects.yaml"])):
            for file in files:
                self.kubectl("apply", "-f", "-", context=context, given=(DEPLOY / file).read_text().replace("member1", name))
        self.hub_file = self.kubeconfig("hub", self.token(""))
        self.cluster_file = self.kubeconfig(name, self.token(name))
        self.agent = None
        self.start()

    def token(self, cluster):
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
        path = f"/api/v1/namespaces/{self.name}/serviceaccounts/fairway-agent/token"
        return self.api.create(path, body, cluster)["status"]["token"]

    def kubeconfig(self, context, token):
        """The server of a context of the administrator's kubeconfig, with a token in place of the administrator."""
        view = json.loads(self.kubectl("config", "view", "--raw", "-o", "json", context=context))
        of = {each["name"]: each for each in view["contexts"]}[context]["context"]["cluster"]
        cluster = {each["name"]: each for each in view["clusters"]}[of]
        made = {"apiVersion": "v1", "kind": "Config", "current-context": "only", "clusters": [cluster],
                "users": [{"name": "agent", "user": {"token": token}}],
                "contexts": [{"name": "only", "context": {"cluster": of, "user": "agent"}}]}
        file = self.folder / f"{self.name}-{context}.kubeconfig"
        file.write_text(json.dumps(made))
        return file

    def start(self):
        self.agent = Daemon(["agent", "--cluster", self.name, "--hub-kubeconfig", self.hub_file, "--kubeconfig", self.cluster_file,
                             "--metrics-listen", "127.0.0.1:0"], {"status": r"^status on http://\S+:(\d+)"})

    def kill(self):
        self.agent.kill()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.agent.__exit__(kind, value, trace)

    def kubectl(self, *arguments, given=None, succeeds=True, context=None):
        environment = dict(os.environ, KUBECONFIG=str(self.api.kubeconfig))
        done = subprocess.run(["kubectl", "--context", context or self.name, *arguments], env=environment, input=given,
                              capture_output=True, text=True, timeout=PATIENCE)
        if succeeds and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def apply(self, *objects):
        self.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))

    def get(self, kind, name, namespace=None):
        """None where there is none."""
        where = ["-n", namespace] if namespace else []
        text = self.kubectl(*where, "get", kind, name, "--ignore-not-found", "-o", "json")
        return json.loads(text) if text else None

    # A child policy, as the propagator would put it into the cluster's namespace of the hub.
    def policy(self, name, *templates, action=None, **spec):
        entries = [each if "objectDefinition" in each else {"objectDefinition": each} for each in templates]
        made = {"apiVersion": GROUP, "kind": "Policy",
                "metadata": {"name": f"fleet.{name}", "namespace": self.name,
                             "labels": {"policy.open-cluster-management.io/root-policy": f"fleet.{name}"}},
                "spec": {"disabled": False, "policy-templates": entries, **({"remediationAction": action} if action else {}), **spec}}
        self.kubectl("apply", "-f", "-", context="hub", given=json.dumps(made))

    def drop(self, name):
        self.kubectl("-n", self.name, "delete", "policies.policy.open-cluster-management.io", f"fleet.{name}", context="hub")
        eventually(lambda: self.get("configurationpolicies", name, self.name) is None, f"{name} is gone from the cluster")

    def enforce(self, name, action="enforce"):
        self.kubectl("-n", self.name, "patch", "policies.policy.open-cluster-management.io", f"fleet.{name}", "--type=merge", "-p",
                     json.dumps({"spec": {"remediationAction": action}}), context="hub")

    def child(self, name):
        return json.loads(self.kubectl("-n", self.name, "get", "policies.policy.open-cluster-management.io", f"fleet.{name}", "-o",
                                       "json", context="hub"))

    def messages(self, name, of=0):
        details = self.child(name).get("status", {}).get("details", [])
        return [each["message"] for each in details[of].get("history", [])] if len(details) > of else []

    def await_message(self, name, text, of=0):
        """The newest message on the hub, of the policy's present generation."""
        def holds():
            child = self.child(name)
            status = child.get("status", {})
            return (self.messages(name, of) or [""])[0] == text and status.get("observedGeneration") == child["metadata"]["generation"]
        eventually(holds, f"{name} says {text}")

    def configuration_status(self, name):
        return (self.get("configurationpolicies", name, self.name) or {}).get("status", {})
