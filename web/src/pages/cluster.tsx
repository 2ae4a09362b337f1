// One cluster: what it runs, which updates it should take and why others not, and how it came to be here.
import type { JSX } from "preact";
import { useWatch } from "../api/kube";
import { type ClusterVersion, type HistoryEntry, kVersions } from "../clusters/types";
import { RiskList, UpdateTable } from "../clusters/updates";
import { risksOf, summaryOf, updatesOf } from "../clusters/view";
import { Ago, Badge, Empty, Facts, Page, Section } from "../components/basic";
import { Conditions } from "../components/conditions";
import { Table } from "../components/table";
import { Watched } from "../components/watched";
import { useFacts } from "../facts";
import { hrefTo, useRoute } from "../router";
import { formatDuration, parseTime } from "../time";
import { kStates } from "./clusters";

export function ClusterPage({ name }: { readonly name: string }): JSX.Element {
  const known = useFacts().clusters.find((each) => each.name === name);
  const versions = useWatch<ClusterVersion>(known?.name, kVersions.groupVersion, kVersions.resource);
  const crumbs = <a href="#/clusters">Clusters</a>;
  if (!known) {
    return (
      <Page title={name} crumbs={crumbs}>
        <Empty title={`The console knows no cluster "${name}"`}>
          <a href="#/clusters">All clusters</a>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={name} crumbs={crumbs}>
      <Watched what="the cluster's version" view={versions}>
        {([version]) =>
          version ? (
            <ClusterDetail name={name} hasMetrics={known.hasMetrics} version={version} />
          ) : (
            <Empty title="This cluster has no ClusterVersion">
              <p>The cluster-version operator keeps one true; it does not make one up, because the cluster's identity is in it.</p>
            </Empty>
          )
        }
      </Watched>
    </Page>
  );
}

function ClusterDetail({ name, hasMetrics, version }: { readonly name: string; readonly hasMetrics: boolean; readonly version: ClusterVersion }): JSX.Element {
  const { query } = useRoute();
  const summary = summaryOf(version);
  const risks = risksOf(version);
  const state = kStates[summary.state];
  return (
    <>
      <div class="panel stack">
        <p role="status">
          <Badge tone={state.tone}>{state.word}</Badge> <span class="breakable">{summary.message}</span>
        </p>
        <Facts
          rows={[
            ["Version", summary.version],
            ["On its way to", summary.target],
            ["Channel", summary.channel && <a href={hrefTo(["graph"], { channel: summary.channel, by: `cluster:${name}`, focus: summary.version })}>{summary.channel}</a>],
            ["Wanted", wantedText(version)],
            ["Update service", version.spec?.upstream],
            ["Cluster id", version.spec?.clusterID && <code>{version.spec.clusterID}</code>],
            ["Image", version.status?.desired?.image && <code>{version.status.desired.image}</code>, "wide"],
          ]}
        />
      </div>
      <Section title="Updates">
        <UpdateTable cluster={name} channel={summary.channel} from={summary.version} updates={updatesOf(version)} />
      </Section>
      {risks.length > 0 && (
        <Section title="Risks of these updates">
          <RiskList cluster={name} hasMetrics={hasMetrics} risks={risks} chosen={query.get("risk") ?? ""} />
        </Section>
      )}
      <Section title="History">
        <HistoryTable entries={version.status?.history ?? []} />
      </Section>
      <Section title="Conditions">
        <Conditions conditions={version.status?.conditions ?? []} />
      </Section>
    </>
  );
}

function wantedText(version: ClusterVersion): string {
  const wanted = version.spec?.desiredUpdate;
  if (!wanted) return "";
  return `${wanted.version || wanted.image || ""}${wanted.force ? ", forced" : ""}`;
}

function tookText(entry: HistoryEntry): string {
  const started = parseTime(entry.startedTime);
  const ended = parseTime(entry.completionTime ?? undefined);
  return started === undefined || ended === undefined ? "" : formatDuration(ended - started);
}

function HistoryTable({ entries }: { readonly entries: readonly HistoryEntry[] }): JSX.Element {
  if (entries.length === 0) return <p class="quiet">Nothing was applied yet.</p>;
  return (
    <Table
      caption="Updates of the past, newest first"
      rows={entries}
      keyOf={(entry) => `${entry.startedTime ?? ""} ${entry.image ?? ""}`}
      columns={[
        { title: "Version", cell: (entry) => entry.version || "not known" },
        { title: "State", cell: (entry) => <Badge tone={entry.state === "Completed" ? "good" : "info"}>{entry.state ?? "Unknown"}</Badge> },
        { title: "Started", cell: (entry) => entry.startedTime && <Ago at={entry.startedTime} /> },
        { title: "Took", cell: tookText },
        { title: "Verified", cell: (entry) => (entry.verified ? "yes" : <Badge tone="warn">no</Badge>) },
        {
          title: "Accepted risks",
          isWide: true,
          cell: (entry) =>
            entry.acceptedRisks && (
              <details>
                <summary>{firstLine(entry.acceptedRisks)}</summary>
                <p class="lines">{entry.acceptedRisks}</p>
              </details>
            ),
        },
      ]}
    />
  );
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
