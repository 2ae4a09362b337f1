// What the policy that a cluster is at says there: the words of its child on the hub.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Outcome } from "../api/http";
import { getObject } from "../api/kube";
import { type KubeObject, resourcePath } from "../api/objects";
import { describe } from "../api/http";

interface ChildPolicy extends KubeObject {
  readonly status?: {
    readonly compliant?: string;
    readonly details?: readonly {
      readonly templateMeta?: { readonly name?: string };
      readonly compliant?: string;
      readonly history?: readonly { readonly message?: string; readonly lastTimestamp?: string }[];
    }[];
  };
}

export interface Words {
  readonly template: string;
  readonly compliant: string;
  readonly message: string;
}

// The newest message of each template that does not comply.
export function wordsOf(policy: ChildPolicy): readonly Words[] {
  return (policy.status?.details ?? [])
    .filter((each) => each.compliant !== "Compliant")
    .map((each) => ({
      template: each.templateMeta?.name ?? "",
      compliant: each.compliant ?? "unknown",
      message: each.history?.[0]?.message ?? "no message",
    }));
}

export function PolicyWords({ hub, cluster, policy, isOpen }: {
  readonly hub: string;
  readonly cluster: string;
  readonly policy: string;
  readonly isOpen: boolean;
}): JSX.Element {
  const [isAsked, setAsked] = useState(isOpen);
  const [answer, setAnswer] = useState<Outcome<ChildPolicy>>();
  useEffect(() => {
    if (!isAsked) return;
    let isWanted = true;
    void getObject<ChildPolicy>(resourcePath(hub, "policy.open-cluster-management.io/v1", "policies", cluster, policy)).then((found) => {
      if (isWanted) setAnswer(found);
    });
    return () => {
      isWanted = false;
    };
  }, [isAsked, hub, cluster, policy]);
  return (
    <details class="chip-line" open={isOpen} onToggle={(event) => setAsked(event.currentTarget.open)}>
      <summary>What the policy says</summary>
      <PolicyAnswer answer={answer} />
    </details>
  );
}

function PolicyAnswer({ answer }: { readonly answer: Outcome<ChildPolicy> | undefined }): JSX.Element {
  if (!answer) return <p>Loading…</p>;
  if (!answer.ok) return <p>{describe(answer.problem)}</p>;
  const words = wordsOf(answer.value);
  if (words.length === 0) return <p>It complies.</p>;
  return (
    <>
      {words.map((each) => (
        <p key={each.template} class="breakable">
          {each.template}: {each.message}
        </p>
      ))}
    </>
  );
}
