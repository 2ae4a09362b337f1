// IngressControllers of all clusters: the scope of their load balancers, and the changes that wait for somebody.
import type { JSX } from "preact";
import { useWatchEach } from "../api/kube";
import type { WatchView } from "../api/watch";
import { Badge, Empty, Loading, Page, ProblemNote } from "../components/basic";
import { Command } from "../components/command";
import { Table } from "../components/table";
import { StaleNote } from "../components/watched";
import { clusterNames, useFacts } from "../facts";
import {
  type IngressController,
  type IngressView,
  type PendingChange,
  type RouterService,
  kIngress,
  kOperandNamespace,
  kOperatorNamespace,
  serviceName,
  viewOf,
} from "../ingress/view";

interface Row {
  readonly cluster: string;
  readonly view: IngressView;
}

export function IngressPage(): JSX.Element {
  const names = clusterNames(useFacts());
  const controllers = useWatchEach<IngressController>(names, kIngress.groupVersion, kIngress.resource, kOperatorNamespace);
  const having = names.filter((name) => (controllers.get(name)?.items.length ?? 0) > 0);
  return (
    <Page title="Ingress">
      <StaleNote views={controllers.values()} />
      <Problems views={controllers} />
      {having.length === 0 ? <Nothing views={[...controllers.values()]} /> : <Controllers names={having.join(" ")} controllers={controllers} />}
    </Page>
  );
}

// A cluster without the kind has no ingress to show, which is no error.
function Problems({ views }: { readonly views: ReadonlyMap<string, WatchView<IngressController>> }): JSX.Element {
  const failed = [...views].filter(([, view]) => view.state === "failed" && view.problem?.status !== 404);
  return (
    <>
      {failed.map(([name, view]) => view.problem && <ProblemNote key={name} title={`Cannot read the ingress of ${name}`} problem={view.problem} />)}
    </>
  );
}

function Nothing({ views }: { readonly views: readonly WatchView<IngressController>[] }): JSX.Element {
  if (views.some((view) => view.state === "loading")) return <Loading what="ingress controllers" />;
  return (
    <Empty title="No cluster has an IngressController">
      <p>The ingress operator makes the controller "default" by itself, in a cluster with the namespace {kOperatorNamespace}:</p>
      <Command label="Start it" text="fairway controllers --only ingress" />
    </Empty>
  );
}

// Only clusters that have controllers are asked for their Services.
function Controllers({ names, controllers }: { readonly names: string; readonly controllers: ReadonlyMap<string, WatchView<IngressController>> }): JSX.Element {
  const services = useWatchEach<RouterService>(listOf(names), "v1", "services", kOperandNamespace);
  const rows = names.split(" ").flatMap((cluster): Row[] =>
    (controllers.get(cluster)?.items ?? []).map((controller) => ({
      cluster,
      view: viewOf(
        controller,
        services.get(cluster)?.items.find((each) => each.metadata.name === serviceName(controller.metadata.name)),
      ),
    })),
  );
  const pending = rows.filter((row) => row.view.change);
  return (
    <>
      <p role="status" class="count-line">
        {rows.length} {rows.length === 1 ? "controller" : "controllers"}, {pending.length} with a change under way
      </p>
      <ul class="stack plain">
        {pending.map((row) => (
          <li key={`${row.cluster}/${row.view.name}`}>{row.view.change && <Pending row={row} change={row.view.change} />}</li>
        ))}
      </ul>
      <IngressTable rows={rows} />
    </>
  );
}

const lists = new Map<string, readonly string[]>();
function listOf(names: string): readonly string[] {
  const found = lists.get(names) ?? names.split(" ");
  lists.set(names, found);
  return found;
}

function Pending({ row, change }: { readonly row: Row; readonly change: PendingChange }): JSX.Element {
  const { view } = row;
  return (
    <article class={`panel stack pending pending-${change.tone}`}>
      <div class="section-head">
        <h2>
          {view.name} on {row.cluster}: {view.scope === view.wanted ? "a change" : `${view.scope} to ${view.wanted}`}
        </h2>
        <Badge tone={change.tone}>{change.who}</Badge>
        <span class="quiet">{change.reason}</span>
      </div>
      {change.cost && (
        <p>
          <span class="strong">What it costs: </span>
          {change.cost}
          {view.address && change.reason === "ScopeChanged" && ` ${view.address} is given up.`}
        </p>
      )}
      <details open={change.commands.length === 0}>
        <summary>What the operator says</summary>
        <p class="lines">{change.message}</p>
      </details>
      {change.commands.map((command) => (
        <Command key={command.text} label={command.label} text={command.text} />
      ))}
    </article>
  );
}

function IngressTable({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  return (
    <Table
      caption="Ingress controllers"
      rows={rows}
      keyOf={(row) => `${row.cluster}/${row.view.name}`}
      columns={[
        { title: "Controller", cell: ({ view }) => view.name },
        { title: "Cluster", cell: ({ cluster }) => <a href={`#/clusters/${encodeURIComponent(cluster)}`}>{cluster}</a> },
        { title: "Domain", cell: ({ view }) => view.domain },
        { title: "Published by", cell: ({ view }) => view.type },
        { title: "Scope", cell: ({ view }) => <ScopeCell view={view} /> },
        { title: "Address", cell: ({ view }) => view.address && <code>{view.address}</code> },
        { title: "Available", cell: ({ view }) => (view.isAvailable ? <Badge tone="good">yes</Badge> : <Badge tone="bad">no</Badge>) },
        {
          title: "Notes",
          cell: ({ view }) =>
            view.notes.map((note) => (
              <p key={note.type}>
                <span class="strong">
                  {note.type} {note.status}
                </span>
                {note.message ? `: ${note.message}` : ""}
              </p>
            )),
        },
      ]}
    />
  );
}

function ScopeCell({ view }: { readonly view: IngressView }): JSX.Element {
  if (view.scope === view.wanted) return <>{view.scope}</>;
  return (
    <>
      {view.scope} <Badge tone="warn">wanted: {view.wanted}</Badge>
    </>
  );
}
