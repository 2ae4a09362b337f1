// Policies and rollouts for the tests.

const kGroup = "/apis/policy.open-cluster-management.io/v1/namespaces/default";
const kRolloutPath = "/apis/ran.openshift.io/v1alpha1/namespaces/default/clustergroupupgrades";

// A policy that every cluster should have a ConfigMap; in a namespace that is not there nobody can comply with it.
export function policy(name, namespace) {
  return {
    apiVersion: "policy.open-cluster-management.io/v1",
    kind: "Policy",
    metadata: { name, namespace: "default" },
    spec: {
      remediationAction: "inform",
      disabled: false,
      "policy-templates": [
        {
          objectDefinition: {
            apiVersion: "policy.open-cluster-management.io/v1",
            kind: "ConfigurationPolicy",
            metadata: { name },
            spec: {
              severity: "low",
              "object-templates": [
                {
                  complianceType: "musthave",
                  objectDefinition: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { text: "ahoy" } },
                },
              ],
            },
          },
        },
      ],
    },
  };
}

// A policy for all members, and a rollout of it.
export async function startRollout(fairway, name, { namespace = "default", spec }) {
  await fairway.put("hub", `${kGroup}/policies`, policy(name, namespace));
  await fairway.put("hub", "/apis/cluster.open-cluster-management.io/v1beta1/namespaces/default/placements", {
    apiVersion: "cluster.open-cluster-management.io/v1beta1",
    kind: "Placement",
    metadata: { name: "all", namespace: "default" },
    spec: {},
  });
  await fairway.put("hub", `${kGroup}/placementbindings`, {
    apiVersion: "policy.open-cluster-management.io/v1",
    kind: "PlacementBinding",
    metadata: { name, namespace: "default" },
    placementRef: { apiGroup: "cluster.open-cluster-management.io", kind: "Placement", name: "all" },
    subjects: [{ apiGroup: "policy.open-cluster-management.io", kind: "Policy", name }],
  });
  await fairway.put("hub", kRolloutPath, {
    apiVersion: "ran.openshift.io/v1alpha1",
    kind: "ClusterGroupUpgrade",
    metadata: { name, namespace: "default" },
    spec: { managedPolicies: [name], ...spec },
  });
}

export function readRollout(fairway, name) {
  return fairway.ask("hub", `${kRolloutPath}/${name}`);
}

const kLongAgo = "2020-01-01T00:00:00Z";

// As if the rollout had begun long ago: all its time is over.
export function letTimeRunOut(fairway, name) {
  return patchStatus(fairway, name, { status: { startedAt: kLongAgo, currentBatchStartedAt: kLongAgo } });
}

// As if one cluster had begun long ago.
export function letTimeOfClusterRunOut(fairway, name, cluster) {
  return patchStatus(fairway, name, { rollout: { clusterStartedAt: { [cluster]: kLongAgo } } });
}

async function patchStatus(fairway, name, status) {
  await fairway.ask("hub", `${kRolloutPath}/${name}/status`, { method: "PATCH", body: { status }, type: "application/merge-patch+json" });
}
