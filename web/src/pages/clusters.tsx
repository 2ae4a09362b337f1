// All clusters: what they run, what they could run, and which of them need somebody.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useWatch, useWatchEach } from "../api/kube";
import { findCondition } from "../api/objects";
import type { WatchView } from "../api/watch";
import { type ClusterVersion, type ManagedCluster, kManagedClusters, kVersions } from "../clusters/types";
import { type ClusterSummary, summaryOf } from "../clusters/view";
import { Badge, Empty, Page, type Tone } from "../components/basic";
import { Table } from "../components/table";
import { StaleNote } from "../components/watched";
import { clusterNames, hubOf, useFacts } from "../facts";
import { hrefTo } from "../router";

interface Row {
  readonly name: string;
  readonly isHub: boolean;
  readonly view: WatchView<ClusterVersion>;
  readonly summary?: ClusterSummary;
  readonly seen?: ManagedCluster; // by the hub
}

export const kStates: Readonly<Record<ClusterSummary["state"], { word: string; tone: Tone }>> = {
  Updating: { word: "Updating", tone: "info" },
  Failing: { word: "Failing", tone: "bad" },
  NotAvailable: { word: "Not available", tone: "bad" },
  UpToDate: { word: "Up to date", tone: "good" },
  UpdatesRecommended: { word: "Updates recommended", tone: "info" },
  UpdatesNotRecommended: { word: "No update recommended", tone: "warn" },
  Unknown: { word: "Not known", tone: "quiet" },
};

export function ClustersPage(): JSX.Element {
  const facts = useFacts();
  const [filter, setFilter] = useState("");
  const versions = useWatchEach<ClusterVersion>(clusterNames(facts), kVersions.groupVersion, kVersions.resource);
  const managed = useWatch<ManagedCluster>(hubOf(facts), kManagedClusters.groupVersion, kManagedClusters.resource);
  const rows = facts.clusters.map(({ name, isHub }): Row => {
    const view = versions.get(name) ?? { state: "loading", items: [] };
    const version = view.items[0];
    const seen = managed.items.find((each) => each.metadata.name === name);
    return { name, isHub, view, ...(version ? { summary: summaryOf(version) } : {}), ...(seen ? { seen } : {}) };
  });
  const wanted = filter.trim().toLowerCase();
  const shown = rows.filter((row) => textOf(row).includes(wanted));
  return (
    <Page
      title="Clusters"
      actions={
        <>
          <label for="filter">Filter</label>
          <input id="filter" type="search" value={filter} placeholder="name, version, channel" onInput={(event) => setFilter(event.currentTarget.value)} />
        </>
      }
    >
      <StaleNote views={versions.values()} />
      <p class="count-line" role="status">
        {countText(rows, shown.length)}
      </p>
      {shown.length === 0 ? <Empty title="No cluster has that" /> : <ClusterTable rows={shown} />}
    </Page>
  );
}

function textOf(row: Row): string {
  const state = row.summary ? kStates[row.summary.state].word : "";
  return [row.name, row.summary?.version, row.summary?.channel, row.summary?.target, state].join(" ").toLowerCase();
}

function countText(rows: readonly Row[], shown: number): string {
  const count = (state: ClusterSummary["state"]) => rows.filter((row) => row.summary?.state === state).length;
  const parts = [
    shown === rows.length ? `${rows.length} clusters` : `${shown} of ${rows.length} clusters`,
    ...(["Updating", "Failing", "NotAvailable"] as const).flatMap((state) => (count(state) > 0 ? [`${count(state)} ${kStates[state].word.toLowerCase()}`] : [])),
  ];
  return parts.join(", ");
}

function ClusterTable({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  return (
    <Table
      caption="Clusters"
      rows={rows}
      keyOf={(row) => row.name}
      columns={[
        {
          title: "Cluster",
          cell: (row) => (
            <>
              <a href={hrefTo(["clusters", row.name])}>{row.name}</a> {row.isHub && <Badge>hub</Badge>}
            </>
          ),
        },
        { title: "Version", cell: (row) => <VersionCell row={row} /> },
        { title: "Channel", cell: (row) => row.summary?.channel },
        { title: "State", cell: (row) => row.summary && <Badge tone={kStates[row.summary.state].tone}>{kStates[row.summary.state].word}</Badge> },
        { title: "Updates", cell: (row) => row.summary && <UpdatesCell summary={row.summary} /> },
        { title: "Agent", cell: (row) => row.seen && <AgentCell cluster={row.seen} /> },
        { title: "Says", cell: (row) => row.summary?.message, isWide: true },
      ]}
    />
  );
}

function VersionCell({ row }: { readonly row: Row }): JSX.Element {
  if (row.summary) {
    return (
      <>
        {row.summary.version || "not known"}
        {row.summary.target && ` → ${row.summary.target}`}
      </>
    );
  }
  switch (row.view.state) {
    case "loading":
      return <span class="quiet">loading…</span>;
    case "failed":
      return <span class="bad-text">{row.view.problem?.status === 403 ? "you may not see it" : row.view.problem?.status === 404 ? "no ClusterVersion" : row.view.problem?.message}</span>;
    default:
      return <span class="quiet">no ClusterVersion</span>;
  }
}

function UpdatesCell({ summary }: { readonly summary: ClusterSummary }): JSX.Element {
  const [newest] = summary.recommended;
  return (
    <>
      {newest ? `${summary.recommended.length} recommended, newest ${newest}` : "none recommended"}
      {summary.notRecommended > 0 && <span class="quiet">; {summary.notRecommended} not</span>}
      {summary.unknown > 0 && <span class="quiet">; {summary.unknown} unknown</span>}
    </>
  );
}

function AgentCell({ cluster }: { readonly cluster: ManagedCluster }): JSX.Element {
  const available = findCondition(cluster.status?.conditions, "ManagedClusterConditionAvailable");
  if (available?.status === "True") return <Badge tone="good">Available</Badge>;
  return <Badge tone="warn" title={available?.message ?? ""}>{available ? "Not available" : "Never seen"}</Badge>;
}
