// Batches as lanes: canaries first, each with its clusters, how far they are, and the time that is left.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Ago, Badge, Left, type Tone } from "../components/basic";
import { PolicyWords } from "./policy_words";
import type { BatchState, BatchView, ClusterState, ClusterView, RolloutView } from "./view";

const kClusterWords: Readonly<Record<ClusterState, { word: string; mark: string; tone: Tone }>> = {
  Waiting: { word: "waiting", mark: "○", tone: "quiet" },
  InProgress: { word: "in progress", mark: "▶", tone: "info" },
  Soaking: { word: "soaking", mark: "◐", tone: "info" },
  Retrying: { word: "will retry", mark: "↻", tone: "warn" },
  Complete: { word: "complete", mark: "✓", tone: "good" },
  TimedOut: { word: "timed out", mark: "✗", tone: "bad" },
  Skipped: { word: "skipped", mark: "–", tone: "warn" },
};

const kBatchWords: Readonly<Record<BatchState, { word: string; tone: Tone }>> = {
  Waiting: { word: "Waiting", tone: "quiet" },
  InProgress: { word: "In progress", tone: "info" },
  Paused: { word: "Paused", tone: "warn" },
  Complete: { word: "Complete", tone: "good" },
  TimedOut: { word: "Timed out", tone: "bad" },
};

const kMostOpenWords = 5; // failures whose messages are shown unasked
const kFoldFrom = 24; // clusters of a lane; beyond, those that are at rest are folded away

const asTime = (millis: number) => new Date(millis).toISOString();

// The same for all clusters of a rollout.
interface Setting {
  readonly hub: string;
  readonly steps: number;
  readonly policyNamespaces: Readonly<Record<string, string>>;
  readonly opensWords: boolean;
}

export function Lanes({ hub, view, policyNamespaces }: {
  readonly hub: string;
  readonly view: RolloutView;
  readonly policyNamespaces: Readonly<Record<string, string>>;
}): JSX.Element {
  const setting = { hub, steps: view.steps.length, policyNamespaces, opensWords: view.failed <= kMostOpenWords };
  return (
    <ol class="lanes" aria-label="Batches">
      {view.batches.map((batch) => (
        <Lane key={batch.number} setting={setting} batch={batch} />
      ))}
    </ol>
  );
}

function Lane({ setting, batch }: { readonly setting: Setting; readonly batch: BatchView }): JSX.Element {
  const words = kBatchWords[batch.state];
  const title = `lane-${batch.number}`;
  const isFolded = batch.clusters.length > kFoldFrom;
  const resting = isFolded ? batch.clusters.filter((each) => each.state === "Complete" || each.state === "Waiting") : [];
  const shown = isFolded ? batch.clusters.filter((each) => each.state !== "Complete" && each.state !== "Waiting") : batch.clusters;
  return (
    <li class={`lane${batch.isCurrent ? " lane-current" : ""}`} aria-labelledby={title} aria-current={batch.isCurrent ? "step" : undefined}>
      <div class="lane-head">
        <h3 id={title}>
          Batch {batch.number}
          {batch.isCanary && <span class="canary"> canary</span>}
          {batch.isDeferred && <span class="quiet"> offline clusters</span>}
        </h3>
        <Badge tone={words.tone}>{words.word}</Badge>
        <div class="lane-progress">
          <progress max={batch.clusters.length} value={batch.done} aria-label={`Batch ${batch.number}: clusters that are done`} />
          <span>
            {batch.done} of {batch.clusters.length}
          </span>
        </div>
        {batch.isCurrent && batch.startedAt !== undefined && (
          <p class="quiet">
            started <Ago at={asTime(batch.startedAt)} />
          </p>
        )}
        {batch.endsAt !== undefined && (
          <p class="strong">
            <Left at={asTime(batch.endsAt)} />
          </p>
        )}
        <ApprovalNote batch={batch} />
      </div>
      <div class="lane-body">
        {shown.length > 0 && <Chips label={`Clusters of batch ${batch.number}`} setting={setting} clusters={shown} />}
        {resting.length > 0 && <Resting number={batch.number} setting={setting} clusters={resting} />}
      </div>
    </li>
  );
}

function Chips({ label, setting, clusters }: { readonly label: string; readonly setting: Setting; readonly clusters: readonly ClusterView[] }): JSX.Element {
  return (
    <ul class="chips" aria-label={label}>
      {clusters.map((cluster) => (
        <Chip key={cluster.name} setting={setting} cluster={cluster} />
      ))}
    </ul>
  );
}

// Folded, and not even made until somebody looks: fleets are large.
function Resting({ number, setting, clusters }: { readonly number: number; readonly setting: Setting; readonly clusters: readonly ClusterView[] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{clusters.length} complete or waiting</summary>
      {isOpen && <Chips label={`Complete or waiting clusters of batch ${number}`} setting={setting} clusters={clusters} />}
    </details>
  );
}

function ApprovalNote({ batch }: { readonly batch: BatchView }): JSX.Element | null {
  if (!batch.approval) return null;
  if (batch.approval.state === "given") {
    return (
      <p class="quiet breakable">
        approved{batch.approval.by ? ` by ${batch.approval.by}` : ""}
        {batch.approval.at && (
          <>
            , <Ago at={batch.approval.at} />
          </>
        )}
      </p>
    );
  }
  return batch.approval.state === "waiting" ? <Badge tone="warn">Waits for approval</Badge> : <p class="quiet">needs approval</p>;
}

function Chip({ setting, cluster }: { readonly setting: Setting; readonly cluster: ClusterView }): JSX.Element {
  const { hub, steps, policyNamespaces, opensWords } = setting;
  const words = kClusterWords[cluster.state];
  const policyNamespace = cluster.step ? policyNamespaces[cluster.step] : undefined;
  const hasWords = cluster.step !== undefined && policyNamespace !== undefined && (cluster.state === "TimedOut" || cluster.state === "InProgress");
  return (
    <li class={`chip chip-${words.tone}`} data-cluster={cluster.name} data-state={cluster.state}>
      <span class="chip-mark" aria-hidden="true">
        {words.mark}
      </span>
      <span class="chip-text">
        <a class="strong" href={`#/clusters/${encodeURIComponent(cluster.name)}`}>
          {cluster.name}
        </a>{" "}
        <span>{words.word}</span>
        {cluster.step && (
          <span class="chip-line">
            {cluster.state === "TimedOut" ? "at " : ""}
            {cluster.step}
            {cluster.stepNumber !== undefined && steps > 1 ? ` (${cluster.stepNumber} of ${steps})` : ""}
            {cluster.policyStatus ? `: ${cluster.policyStatus}` : ""}
          </span>
        )}
        {cluster.job && <span class="chip-line">{cluster.job}</span>}
        {cluster.reason && <span class="chip-line">{cluster.reason}</span>}
        {cluster.endsAt !== undefined && (
          <span class="chip-line">
            <Left at={asTime(cluster.endsAt)} />
          </span>
        )}
        {cluster.retryAt !== undefined && (
          <span class="chip-line">
            starts again, <Left at={asTime(cluster.retryAt)} />
          </span>
        )}
        {cluster.retries > 0 && <span class="chip-line">retries: {cluster.retries}</span>}
        {hasWords && cluster.step && policyNamespace !== undefined && (
          <PolicyWords hub={hub} cluster={cluster.name} policy={`${policyNamespace}.${cluster.step}`} isOpen={opensWords && cluster.state === "TimedOut"} />
        )}
      </span>
    </li>
  );
}
