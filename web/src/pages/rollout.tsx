// One rollout: where it stands, live; what holds it; and what an operator may decide.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useWatch } from "../api/kube";
import { Ago, Badge, Empty, Facts, Left, Page, Section } from "../components/basic";
import { Conditions } from "../components/conditions";
import { Table } from "../components/table";
import { Watched } from "../components/watched";
import { type Gate, gatesOf, planSentence } from "../rollouts/gates";
import { Lanes } from "../rollouts/lanes";
import { Steering } from "../rollouts/steer";
import { kPhaseTones } from "../rollouts/tones";
import { type PastRun, type Rollout, kRollouts } from "../rollouts/types";
import { type RolloutView, hasEnded, viewOf } from "../rollouts/view";
import { formatDuration } from "../time";

interface Props {
  readonly hub: string;
  readonly namespace: string;
  readonly name: string;
}

export function RolloutPage({ hub, namespace, name }: Props): JSX.Element {
  const rollouts = useWatch<Rollout>(hub, kRollouts.groupVersion, kRollouts.resource, namespace);
  return (
    <Page title={name} crumbs={<><a href="#/rollouts">Rollouts</a> / {namespace}</>}>
      <Watched what="the rollout" view={rollouts}>
        {(items) => {
          const found = items.find((each) => each.metadata.name === name && each.metadata.namespace === namespace);
          if (found) return <RolloutDetail hub={hub} rollout={found} />;
          return (
            <Empty title={`There is no rollout "${name}" in the namespace "${namespace}"`}>
              <a href="#/rollouts">All rollouts</a>
            </Empty>
          );
        }}
      </Watched>
    </Page>
  );
}

function RolloutDetail({ hub, rollout }: { readonly hub: string; readonly rollout: Rollout }): JSX.Element {
  const view = viewOf(rollout);
  const gates = gatesOf(rollout);
  const namespaces = useMemo(
    () => Object.fromEntries((rollout.status?.managedPoliciesForUpgrade ?? []).map((each) => [each.name, each.namespace ?? rollout.metadata.namespace ?? ""])),
    [rollout],
  );
  const history = rollout.status?.rollout?.history ?? [];
  return (
    <>
      <Summary rollout={rollout} view={view} />
      <Steering hub={hub} rollout={rollout} view={view} />
      <Section title={view.startedAt === undefined ? "Plan" : "Batches"} aside={<span class="quiet">{planSentence(rollout)}</span>}>
        {view.batches.length === 0 ? (
          <Empty title="There is no plan yet">
            <p>{view.message || "The controller has not looked at it."}</p>
          </Empty>
        ) : (
          <Lanes hub={hub} view={view} policyNamespaces={namespaces} />
        )}
        {view.compliant.length > 0 && <p class="quiet breakable">Needed nothing: {view.compliant.join(", ")}</p>}
      </Section>
      {gates.length > 0 && (
        <Section title="Holds and gates">
          <GateTable gates={gates} />
        </Section>
      )}
      <Section title="Conditions">
        <Conditions conditions={rollout.status?.conditions ?? []} />
      </Section>
      {history.length > 0 && (
        <Section title="Earlier runs">
          <RunTable runs={history} />
        </Section>
      )}
    </>
  );
}

function Summary({ rollout, view }: { readonly rollout: Rollout; readonly view: RolloutView }): JSX.Element {
  const current = view.batches.find((each) => each.isCurrent);
  const took = hasEnded(view.phase) && view.startedAt !== undefined && view.completedAt !== undefined ? formatDuration(view.completedAt - view.startedAt) : "";
  return (
    <div class="panel stack">
      <p role="status" class="rollout-line">
        <Badge tone={kPhaseTones[view.phase]}>{view.phase}</Badge>{" "}
        <span>
          {current ? `Batch ${current.number} of ${view.batches.length}. ` : ""}
          {view.total > 0 ? `${view.done} of ${view.total} clusters done` : "No clusters planned"}
          {view.failed > 0 ? `, ${view.failed} failed` : ""}.
        </span>
      </p>
      {view.message && <p class="breakable">{view.message}</p>}
      <Facts
        rows={[
          ["Policies", view.steps.join(", ")],
          ["Complied before", (rollout.status?.managedPoliciesCompliantBeforeUpgrade ?? []).join(", ")],
          ["Started", view.startedAt === undefined ? undefined : <Ago at={new Date(view.startedAt).toISOString()} />],
          ["Time", view.endsAt === undefined ? undefined : <Left at={new Date(view.endsAt).toISOString()} />],
          ["Stands still since", rollout.status?.rollout?.pausedSince && !hasEnded(view.phase) ? <Ago at={rollout.status.rollout.pausedSince} /> : undefined],
          ["Took", took],
          ["When a batch times out", rollout.spec?.batchTimeoutAction],
        ]}
      />
    </div>
  );
}

function GateTable({ gates }: { readonly gates: readonly Gate[] }): JSX.Element {
  return (
    <Table
      caption="What can hold this rollout"
      rows={gates}
      keyOf={(gate) => gate.name}
      columns={[
        { title: "Gate", cell: (gate) => gate.name },
        { title: "Setting", cell: (gate) => gate.setting, isWide: true },
        {
          title: "Now",
          cell: (gate) =>
            gate.state && (
              <>
                <Badge tone={gate.tone}>{gate.state}</Badge> {gate.until && <Left at={gate.until} />}
              </>
            ),
        },
      ]}
    />
  );
}

function RunTable({ runs }: { readonly runs: readonly PastRun[] }): JSX.Element {
  return (
    <Table
      caption="Results of earlier runs, newest first"
      rows={runs}
      keyOf={(run) => String(run.run ?? 0)}
      columns={[
        { title: "Run", cell: (run) => String(run.run ?? 0) },
        { title: "Result", cell: (run) => run.reason },
        { title: "Ended", cell: (run) => run.completedAt && <Ago at={run.completedAt} /> },
        { title: "Message", cell: (run) => run.message, isWide: true },
      ]}
    />
  );
}
