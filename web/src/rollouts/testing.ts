// Rollouts for the tests of this folder.
import type { Rollout, RolloutControls, RolloutStatus } from "./types";

export interface Given {
  readonly controls?: RolloutControls;
  readonly annotations?: Record<string, string>;
  readonly status?: RolloutStatus;
  readonly timeout?: number;
}

export const kProgressing = { type: "Progressing", status: "True", reason: "InProgress", message: "Remediating" } as const;

// Two canaries in a batch each, then two batches of two; at work on the first unless the status says more.
export function rollout({ controls, annotations, status, timeout = 240 }: Given = {}): Rollout {
  return {
    metadata: {
      name: "spring",
      namespace: "default",
      finalizers: ["ran.openshift.io/cleanup-finalizer"],
      ...(annotations ? { annotations } : {}),
    },
    spec: { remediationStrategy: { timeout }, ...(controls ? { rolloutControls: controls } : {}) },
    status: {
      conditions: [kProgressing],
      remediationPlan: [["c1"], ["c2"], ["a", "b"], ["c", "d"]],
      managedPoliciesForUpgrade: [{ name: "first", namespace: "default" }, { name: "second", namespace: "default" }],
      ...status,
      rollout: { canaryBatches: 2, ...status?.rollout },
    },
  };
}
