"""The story of the seed: a cluster on 4.6.23 on vSphere behind a proxy, and the graph that its administrator sees."""
import json

from cluster_version import QUAY
from update_service import write

IMAGES = {
    "4.6.23": QUAY + "3fc6e3c6b4d3f3d8ba16f4c3b1f3e2d1c0b9a8978685747362514031211f0e0d",
    "4.6.30": QUAY + "476588ee99a28f39410372175925672e9a37f0cd1272e17ed2454d7f5cafff90",
    "4.6.42": QUAY + "59e2e85f5d1bcb4440765c310b6261387ffc3f16ed55ca0a79012367e15b558b",
    "4.6.43": QUAY + "2b8efb25c1c9d7a713ae74b8918457280f9cc0c66d475e78d3676810d568b534",
    "4.6.99-example": QUAY + "9999999999999999999999999999999999999999999999999999999999999999",
    "4.7.4": QUAY + "999a6a4bd731075e389ae601b373194c6cb2c7b4dadd1ad06ef607e86476b129",
}
URLS = {"4.6.43": "RHBA-2021:3197", "4.6.42": "RHBA-2021:3008", "4.7.4": "RHBA-2021:0957"}
CHANNELS = ("candidate-4.6", "candidate-4.7", "eus-4.6", "fast-4.6", "fast-4.7", "stable-4.6", "stable-4.7")
UPSTREAM = "https://api.openshift.com/api/upgrades_info/graph"

VSPHERE = 'cluster_infrastructure_provider{type=~"VSphere|None"}\nor\n0 * cluster_infrastructure_provider\n'
RISKS = {
    "AuthOAuthProxyLeakedConnections": (
        "4.7.4", r"4\.6\..*", "https://bugzilla.redhat.com/show_bug.cgi?id=1941840#c33",
        "On clusters with a Proxy configured, the authentication operator may keep many oauth-server connections open, resulting in high memory consumption by the authentication operator and router pods.",
        'max(cluster_proxy_enabled{type=~"https?"})'),
    "VSphereNodeNameChanges": (
        "4.7.4", ".*", "https://bugzilla.redhat.com/show_bug.cgi?id=1942207#c3",
        "vSphere clusters leveraging the vSphere cloud provider may lose node names which can have serious impacts on the stability of the control plane and workloads.",
        VSPHERE),
    "VSphereHW14CrossNodeNetworkingError": (
        "4.7.4", r"4\.6\..*", "https://access.redhat.com/solutions/5896081",
        "Clusters on vSphere Virtual Hardware Version 14 and later may experience cross-node networking issues.",
        VSPHERE),
    "ThanosDNSUnmarshalError": (
        "4.6.30", ".*", "https://access.redhat.com/solutions/6092191",
        "The monitoring operator goes Degraded=True when the user monitoring workflow is enabled due to DNS changes.",
        "max(user_workload_monitoring_enabled)"),
    "ExampleReason": (
        "4.6.99-example", ".*", "https://example.com/ExampleReason", "An example of a risk that nobody can tell about.",
        "max(no_such_metric)"),
}

METRICS = """cluster_proxy_enabled{type="http"} 1
cluster_proxy_enabled{type="https"} 1
cluster_infrastructure_provider{type="VSphere"} 1
user_workload_monitoring_enabled 1
"""


def write_graph_data(folder, images=None, version="1.1.0"):
    """The graph data and releases of the story; images of our own where given."""
    images = {**IMAGES, **(images or {})}
    data = folder / "graph-data"
    write(data / "version", version + "\n")
    write(data / "raw" / "metadata.json", "{}\n")
    for channel in CHANNELS:
        versions = ["4.6.23"] + (list(images)[1:] if channel.startswith(("stable", "candidate")) else [])
        write(data / "channels" / f"{channel}.yaml", f"name: {channel}\nversions:\n" + "".join(f"- {one}\n" for one in versions))
    for name, (to, since, url, message, query) in RISKS.items():
        rules = {"to": to, "from": since, "url": url, "name": name, "message": message,
                 "matchingRules": [{"type": "PromQL", "promql": {"promql": query}}]}
        write(data / "blocked-edges" / f"{to}-{name}.yaml", json.dumps(rules))
    lines = []
    for one, image in images.items():
        metadata = {"url": f"https://access.redhat.com/errata/{URLS[one]}"} if one in URLS else {}
        lines.append(json.dumps({"payload": image, "architecture": "amd64",
                                 "release-metadata": {"kind": "cincinnati-metadata-v0", "version": one,
                                                      "previous": [] if one == "4.6.23" else ["4.6.23"], "metadata": metadata}}))
    write(folder / "releases.jsonl", "\n".join(lines) + "\n")
    return data, folder / "releases.jsonl"
