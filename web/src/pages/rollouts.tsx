// All rollouts of the hub, those that need somebody first.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useWatch } from "../api/kube";
import { keyOf } from "../api/objects";
import { Badge, Empty, Left, Page } from "../components/basic";
import { Command } from "../components/command";
import { Table } from "../components/table";
import { Watched } from "../components/watched";
import { go, hrefTo, useRoute } from "../router";
import { kPhaseTones } from "../rollouts/tones";
import { type Rollout, kRollouts } from "../rollouts/types";
import { type RolloutView, viewOf } from "../rollouts/view";

interface Row {
  readonly rollout: Rollout;
  readonly view: RolloutView;
}

const kOrder = { Failed: 1, Paused: 0, Rolling: 0, Preparing: 0, Deleting: 0, Succeeded: 2 } as const;

// Of all namespaces, or of the one that the address names: not everyone may list all.
export function RolloutsPage({ hub }: { readonly hub: string }): JSX.Element {
  const namespace = useRoute().query.get("namespace") ?? "";
  const rollouts = useWatch<Rollout>(hub, kRollouts.groupVersion, kRollouts.resource, namespace);
  const isRefused = rollouts.problem?.status === 403 && namespace === "";
  return (
    <Page title="Rollouts" actions={<NamespaceChoice key={namespace} namespace={namespace} />}>
      {isRefused && <p class="note note-info">If you may see the rollouts of one namespace, name it above.</p>}
      <Watched what="rollouts" view={rollouts}>
        {(items) => (items.length === 0 ? <NoRollouts /> : <RolloutTable items={items} />)}
      </Watched>
    </Page>
  );
}

function NamespaceChoice({ namespace }: { readonly namespace: string }): JSX.Element {
  const [text, setText] = useState(namespace);
  const submit = (event: Event) => {
    event.preventDefault();
    go(["rollouts"], { namespace: text.trim() });
  };
  return (
    <form class="actions" role="search" onSubmit={submit}>
      <label for="namespace">Namespace</label>
      <input id="namespace" type="search" value={text} placeholder="all" onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit">Show</button>
    </form>
  );
}

function NoRollouts(): JSX.Element {
  return (
    <Empty title="There are no rollouts">
      <p>A ClusterGroupUpgrade enforces policies on one batch of clusters after the other. One to try:</p>
      <Command label="An example rollout" text="kubectl apply -f api/examples/rollout/notice.yaml" />
    </Empty>
  );
}

function RolloutTable({ items }: { readonly items: readonly Rollout[] }): JSX.Element {
  const rows: Row[] = items.map((rollout) => ({ rollout, view: viewOf(rollout) }));
  rows.sort((a, b) => kOrder[a.view.phase] - kOrder[b.view.phase]);
  return (
    <Table
      caption="Rollouts"
      rows={rows}
      keyOf={(row) => keyOf(row.rollout)}
      columns={[
        {
          title: "Rollout",
          cell: ({ rollout }) => (
            <>
              <a href={hrefTo(["rollouts", rollout.metadata.namespace ?? "", rollout.metadata.name])}>{rollout.metadata.name}</a>
              <span class="quiet"> in {rollout.metadata.namespace}</span>
            </>
          ),
        },
        { title: "Phase", cell: ({ view }) => <PhaseCell view={view} /> },
        { title: "Clusters", cell: ({ rollout, view }) => <ProgressCell name={rollout.metadata.name} view={view} /> },
        { title: "Batch", cell: ({ view }) => batchText(view) },
        { title: "Time", cell: ({ view }) => (view.endsAt === undefined ? "" : <Left at={new Date(view.endsAt).toISOString()} />) },
        { title: "Says", cell: ({ view }) => view.message, isWide: true },
      ]}
    />
  );
}

function PhaseCell({ view }: { readonly view: RolloutView }): JSX.Element {
  return (
    <span class="badges">
      <Badge tone={kPhaseTones[view.phase]}>{view.phase}</Badge>
      {view.nextApproval > 0 && <Badge tone="warn">Waits for approval</Badge>}
    </span>
  );
}

function ProgressCell({ name, view }: { readonly name: string; readonly view: RolloutView }): JSX.Element {
  if (view.total === 0) return <>no plan yet</>;
  return (
    <span class="lane-progress">
      <progress max={view.total} value={view.done} aria-label={`${name}: clusters that are done`} />
      <span>
        {view.done} of {view.total}
        {view.failed > 0 && <span class="bad-text">, {view.failed} failed</span>}
      </span>
    </span>
  );
}

function batchText(view: RolloutView): string {
  const current = view.batches.find((each) => each.isCurrent);
  return current ? `${current.number} of ${view.batches.length}` : `${view.batches.length}`;
}
