// Pause, resume, approve: with the user's own token, by the same patches as `fairway rollout`.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../api/http";
import { fetchUserName, patchObject } from "../api/kube";
import { resourcePath } from "../api/objects";
import { ProblemNote } from "../components/basic";
import { Command } from "../components/command";
import { approvePatch, failuresOf, isPausedByHand, pausePatch, resumePatch } from "./holds";
import { type Rollout, kRollouts } from "./types";
import { type RolloutView, batchToApprove, hasEnded, phaseOf } from "./view";

type Asking = "pause" | "resume" | "approve";

export function Steering({ hub, rollout, view }: { readonly hub: string; readonly rollout: Rollout; readonly view: RolloutView }): JSX.Element | null {
  const [asking, setAsking] = useState<Asking>();
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const opener = useRef<HTMLElement>();
  const result = useRef<HTMLDivElement>(null);
  const { name, namespace = "" } = rollout.metadata;
  if (hasEnded(view.phase) || view.phase === "Deleting") return null;

  const path = resourcePath(hub, kRollouts.groupVersion, kRollouts.resource, namespace, name);
  const act = async (word: string, change: (now: Rollout) => object | undefined, done: (now: Rollout) => string, subresource = "") => {
    setBusy(true);
    setProblem(undefined);
    const answer = await patchObject<Rollout>(path, (now) => (hasEnded(phaseOf(now)) ? `"${name}" has ended and cannot be ${word}` : change(now)), subresource);
    setBusy(false);
    setAsking(undefined);
    setSaid(answer.ok ? done(answer.value) : "");
    if (!answer.ok) setProblem(answer.problem);
    result.current?.focus(); // the button that was pressed is gone
  };
  const ask = (what: Asking) => (event: { readonly currentTarget: HTMLElement }) => {
    opener.current = event.currentTarget;
    setSaid("");
    setProblem(undefined);
    setAsking(what);
  };
  const cancel = () => {
    setAsking(undefined);
    opener.current?.focus();
  };

  const pause = (freezes: boolean) =>
    act("paused", () => pausePatch(freezes), (now) => {
      const isFrozen = now.spec?.rolloutControls?.pauseMode === "Freeze";
      return `${name} is paused: ${isFrozen ? "nobody is enforced any more" : "the batch that is open is finished, and no other is started"}.`;
    });
  const resume = () => act("resumed", resumePatch, () => `${name} was told to go on.`);
  const approve = async (batch: number) => {
    setBusy(true);
    const user = await fetchUserName(hub);
    await act("approved", (now) => approvePatch(now, batch, user.ok && user.value ? user.value : "console", Date.now()), () => `Batch ${batch} of ${name} is approved.`, "status");
  };

  const failures = failuresOf(rollout);
  const isHeld = isPausedByHand(rollout) || failures.areTooMany;
  const batch = batchToApprove(rollout);
  return (
    <div class="steering">
      <div class="actions">
        {batch > 0 && (
          <button type="button" class="primary" disabled={isBusy} aria-expanded={asking === "approve"} onClick={ask("approve")}>
            Approve batch {batch}…
          </button>
        )}
        {isHeld && (
          <button type="button" class="primary" disabled={isBusy} aria-expanded={asking === "resume"} onClick={ask("resume")}>
            Resume…
          </button>
        )}
        {!isPausedByHand(rollout) && (
          <button type="button" disabled={isBusy} aria-expanded={asking === "pause"} onClick={ask("pause")}>
            Pause…
          </button>
        )}
      </div>
      {asking === "pause" && (
        <Question title={`Pause ${name}?`} onCancel={cancel} command={`fairway rollout pause ${name} -n ${namespace}`}>
          <p>No other batch is started, and no time counts while it stands still.</p>
          <div class="actions">
            <button type="button" class="primary" disabled={isBusy} onClick={() => void pause(false)}>
              Finish the batch that is open
            </button>
            <button type="button" disabled={isBusy} onClick={() => void pause(true)}>
              Stop enforcing at once
            </button>
          </div>
        </Question>
      )}
      {asking === "resume" && (
        <Question title={`Let ${name} go on?`} onCancel={cancel} command={`fairway rollout resume ${name} -n ${namespace}`}>
          <p>
            It goes on with the same batch and places.
            {failures.areTooMany && ` ${failures.failed} of ${failures.of} clusters failed: they count as looked at, further ones count anew.`}
          </p>
          <div class="actions">
            <button type="button" class="primary" disabled={isBusy} onClick={() => void resume()}>
              Resume
            </button>
          </div>
        </Question>
      )}
      {asking === "approve" && batch > 0 && (
        <Question title={`Approve batch ${batch}?`} onCancel={cancel} command={`fairway rollout approve ${name} -n ${namespace} --batch ${batch}`}>
          <p class="breakable">It starts on: {(rollout.status?.remediationPlan?.[batch - 1] ?? []).join(", ")}. Your name goes on record.</p>
          <div class="actions">
            <button type="button" class="primary" disabled={isBusy} onClick={() => void approve(batch)}>
              Approve
            </button>
          </div>
        </Question>
      )}
      <div ref={result} tabIndex={-1} class="steering-result">
        <p role="status" class={said ? "note note-good" : undefined}>
          {said}
        </p>
        {problem && <ProblemNote title="That did not work" problem={problem} />}
      </div>
    </div>
  );
}

function Question({ title, command, onCancel, children }: {
  readonly title: string;
  readonly command: string;
  readonly onCancel: () => void;
  readonly children: JSX.Element | readonly JSX.Element[];
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []); // before the next key, so that Escape is heard
  return (
    <div
      class="panel question stack"
      role="group"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
      }}
    >
      <div class="section-head">
        <h2 tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <button type="button" class="small" onClick={onCancel}>
          Cancel
        </button>
      </div>
      {children}
      <Command label="The same at the command line" text={command} />
    </div>
  );
}
