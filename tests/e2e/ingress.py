"""What the tests of ingress share: an API server, the ingress operator and the simulated cloud, all of them the real binary."""
import json
import os
import pathlib
import re
import shutil
import subprocess

from cluster_version import ApiServer, Daemon
from update_service import PATIENCE, check, equal, eventually, not_run

OPERATOR = "openshift-ingress-operator"
OPERAND = "openshift-ingress"
# Other tests play clouds on the same addresses at the same time.
PORT_OFFSET = 10_000 + os.getpid() % 20_000
AUTO_DELETE = "ingress.operator.openshift.io/auto-delete-load-balancer"


def unjudged_here():
    """A kubectl before 1.25 judges objects itself, and misses what the server would fill in."""
    told = subprocess.run(["kubectl", "version", "--client", "--output=json"], capture_output=True, text=True, check=True).stdout
    minor = int(re.match(r"\d+", json.loads(told)["clientVersion"]["minor"])[0])
    return ["--validate=false"] if minor < 25 else []


class Platform:
    """How a cloud is told the scope: the annotation with its two values (None: absent), and what it can do."""

    def __init__(self, name, key=None, internal=None, external=None, is_mutable=False, parameters=None, title=None):
        self.name, self.key, self.internal, self.external = name, key, internal, external
        self.is_mutable, self.parameters, self.title = is_mutable, parameters, title or name

    def value(self, scope):
        return self.internal if scope == "Internal" else self.external


AWS_KEY = "service.beta.kubernetes.io/aws-load-balancer-internal"
IBM_KEY = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type"
PLATFORMS = [
    Platform("AWS", AWS_KEY, "true"),
    Platform("AWS", AWS_KEY, "true", parameters={"type": "AWS", "aws": {"type": "NLB"}}, title="AWS NLB"),
    Platform("Azure", "service.beta.kubernetes.io/azure-load-balancer-internal", "true", is_mutable=True),
    Platform("GCP", "cloud.google.com/load-balancer-type", "Internal", is_mutable=True),
    Platform("IBMCloud", IBM_KEY, "private", "public"),
    Platform("PowerVS", IBM_KEY, "private", "public"),
    Platform("AlibabaCloud", "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type", "intranet", "internet"),
    Platform("OpenStack", "service.beta.kubernetes.io/openstack-internal-load-balancer", "true"),
]
WITHOUT_SCOPE = ["BareMetal", "None", "VSphere", "Nutanix", "External", "Libvirt"]


def strategy(scope, parameters=None):
    balancer = {"scope": scope, **({"providerParameters": parameters} if parameters else {})}
    return {"type": "LoadBalancerService", "loadBalancer": balancer}


class Cluster:
    """A member cluster with its operator and its cloud; kubectl and `oc`, which is kubectl by another name here."""

    def __init__(self, api, folder, platform, *cloud_flags, context):
        self.api, self.context, self.platform = api, context, platform
        self.bin = folder / "bin"
        self.bin.mkdir(exist_ok=True)
        if not (self.bin / "oc").exists():
            (self.bin / "oc").symlink_to(shutil.which("kubectl"))
        self.cloud_flags = cloud_flags
        self.kubectl("create", "namespace", OPERATOR)
        self.start_operator()
        self.start_cloud()

    def start_operator(self):
        self.operator = Daemon(
            ["controllers", "--only", "ingress", "--platform", self.platform, "--kubeconfig", self.api.kubeconfig, "--context",
             self.context, "--metrics-listen", "127.0.0.1:0"], {"status": r"^status on (\S+)"})

    def start_cloud(self):
        self.cloud = Daemon(
            ["cloud", "--platform", self.platform, "--kubeconfig", self.api.kubeconfig, "--context", self.context, "--play-nodes",
             "--listen", "127.0.0.1:0", "--port-offset", str(PORT_OFFSET), *self.cloud_flags], {"admin": r"^admin on (\S+)"})

    def stop(self):
        self.operator.stop()
        self.cloud.stop()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for each in (self.operator, self.cloud):
            each.__exit__(kind, value, trace)

    def environment(self):
        return dict(os.environ, KUBECONFIG=str(self.api.kubeconfig), PATH=f"{self.bin}:{os.environ['PATH']}")

    def kubectl(self, *arguments, given=None, succeeds=True):
        done = subprocess.run(["kubectl", "--context", self.context, *arguments], env=self.environment(), input=given,
                              capture_output=True, text=True, timeout=PATIENCE)
        if succeeds and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def paste(self, command):
        """What an administrator types, word for word, in this cluster's context."""
        subprocess.run(["kubectl", "config", "use-context", self.context], env=self.environment(), check=True, capture_output=True)
        done = subprocess.run(["bash", "-c", command], env=self.environment(), capture_output=True, text=True, timeout=PATIENCE)
        check(f"`{command[:60]}…` works as it is pasted", done.returncode == 0, done.stderr)

    def create(self, name, scope, parameters=None, **spec):
        self.kubectl("create", *unjudged_here(), "-f", "-", given=json.dumps(
            {"apiVersion": "operator.openshift.io/v1", "kind": "IngressController", "metadata": {"name": name, "namespace": OPERATOR},
             "spec": {"domain": f"{name}.apps.example.com", "replicas": 2,
                      "endpointPublishingStrategy": strategy(scope, parameters), **spec}}))

    def set_scope(self, name, scope):
        self.kubectl("-n", OPERATOR, "patch", f"ingresscontrollers/{name}", "--type=merge",
                     "--patch=" + json.dumps({"spec": {"endpointPublishingStrategy": strategy(scope)}}))

    def controller(self, name):
        return json.loads(self.kubectl("-n", OPERATOR, "get", f"ingresscontroller/{name}", "-o", "json"))

    def service(self, name):
        """None where there is none."""
        text = self.kubectl("-n", OPERAND, "get", "service", f"router-{name}", "--ignore-not-found", "-o", "json", succeeds=False)
        return json.loads(text) if text else None

    def condition(self, name, kind):
        found = [c for c in self.controller(name).get("status", {}).get("conditions", []) if c["type"] == kind]
        return found[0] if found else {}

    def await_condition(self, name, kind, status, reason=None):
        def holds():
            found = self.condition(name, kind)
            return found.get("status") == status and reason in (None, found.get("reason"))
        eventually(holds, f"{name}: {kind}={status} {reason or ''}")
        return self.condition(name, kind)

    def await_published(self, name, other_than=None):
        """A live Service with an address, and the controller available."""
        def holds():
            found = self.service(name)
            return found and found["metadata"]["uid"] != other_than and address(found)
        eventually(holds, f"{name} has a load balancer")
        self.await_condition(name, "Available", "True")
        return self.service(name)


def annotation(service, key):
    return service["metadata"].get("annotations", {}).get(key)


def address(service):
    entries = service.get("status", {}).get("loadBalancer", {}).get("ingress") or [{}]
    return entries[0].get("ip") or entries[0].get("hostname") or ""


def commands_of(message):
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", message)


def seed_text(name, have, want):
    """The condition's text of the seed, with real names and its backtick closed."""
    revert = json.dumps({"spec": {"endpointPublishingStrategy": strategy(have)}}, separators=(",", ":"))
    return (f'The IngressController scope was changed from "{have}" to "{want}". To effectuate this change, you must delete the '
            f"service: `oc -n {OPERAND} delete svc/router-{name}`; the service load-balancer will then be deprovisioned and a new one "
            f"created. Alternatively, you can revert the change to the IngressController: `oc -n {OPERATOR} patch "
            f"ingresscontrollers/{name} --type=merge --patch='{revert}'`. Deleting the service interrupts ingress traffic and may "
            "change the address of the load balancer.")


def start_api(folder, clusters):
    """An API server with as many member clusters: member1, member2, …"""
    if not shutil.which("kubectl"):
        not_run("there is no kubectl")
    return ApiServer(pathlib.Path(folder) / "data", [f"member{i + 1}" for i in range(clusters)])
