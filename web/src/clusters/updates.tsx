// The updates of a cluster, recommended and not, with the reasons; and the risks behind them.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge, Empty, type Tone } from "../components/basic";
import { Command } from "../components/command";
import { Table } from "../components/table";
import { hrefTo } from "../router";
import { type RiskView, type UpdateView, type Verdict } from "./view";
import { WhyHere } from "./why";

export const kVerdicts: Readonly<Record<Verdict, { word: string; tone: Tone }>> = {
  Recommended: { word: "Recommended", tone: "good" },
  NotRecommended: { word: "Not recommended", tone: "bad" },
  Unknown: { word: "Unknown", tone: "warn" },
};

export function UpdateTable({ cluster, channel, from, updates }: {
  readonly cluster: string;
  readonly channel: string;
  readonly from: string;
  readonly updates: readonly UpdateView[];
}): JSX.Element {
  if (updates.length === 0) return <Empty title="No updates are on offer in this channel" />;
  return (
    <Table
      caption="Updates, newest first"
      rows={updates}
      keyOf={(update) => update.release.version}
      columns={[
        {
          title: "Version",
          cell: ({ release }) => (
            <span class="nowrap">
              <a href={hrefTo(["graph"], { channel, by: `cluster:${cluster}`, update: `${from}~${release.version}` })}>{release.version}</a>
              {release.url && (
                <>
                  {" "}
                  <a class="quiet" href={release.url} rel="noreferrer noopener" target="_blank">
                    notes<span class="unseen"> of {release.version}</span>
                  </a>
                </>
              )}
            </span>
          ),
        },
        { title: "Verdict", cell: ({ verdict }) => <Badge tone={kVerdicts[verdict].tone}>{kVerdicts[verdict].word}</Badge> },
        { title: "Reason", cell: ({ reason }) => reason },
        {
          title: "Message",
          isWide: true,
          cell: (update) => (
            <>
              {update.message && <p class="lines">{update.message}</p>}
              <details>
                <summary>How to ask for it</summary>
                <Command label={`Update ${cluster} to ${update.release.version}`} text={commandFor(cluster, update)} />
              </details>
            </>
          ),
        },
      ]}
    />
  );
}

function commandFor(cluster: string, update: UpdateView): string {
  const allow = update.verdict === "Recommended" ? "" : " --allow-not-recommended";
  return `fairway upgrade --context ${cluster} --to ${update.release.version}${allow}`;
}

const kAppliesWords: Readonly<Record<string, { word: string; tone: Tone }>> = {
  True: { word: "applies", tone: "bad" },
  False: { word: "does not apply", tone: "good" },
};

export function RiskList({ cluster, hasMetrics, risks, chosen }: {
  readonly cluster: string;
  readonly hasMetrics: boolean;
  readonly risks: readonly { readonly risk: RiskView; readonly updates: readonly UpdateView[] }[];
  readonly chosen: string; // the risk that the address names
}): JSX.Element {
  return (
    <ul class="stack plain">
      {risks.map(({ risk, updates }) => (
        <li key={risk.name}>
          <RiskPanel cluster={cluster} hasMetrics={hasMetrics} risk={risk} updates={updates} isChosen={risk.name === chosen} />
        </li>
      ))}
    </ul>
  );
}

function RiskPanel({ cluster, hasMetrics, risk, updates, isChosen }: {
  readonly cluster: string;
  readonly hasMetrics: boolean;
  readonly risk: RiskView;
  readonly updates: readonly UpdateView[];
  readonly isChosen: boolean;
}): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const [isAsked, setAsked] = useState(isChosen && hasMetrics);
  useEffect(() => {
    if (!isChosen) return;
    setAsked(hasMetrics);
    place.current?.scrollIntoView();
    place.current?.querySelector("h3")?.focus();
  }, [isChosen, hasMetrics]);
  const applies = risk.applies ? (kAppliesWords[risk.applies.status] ?? { word: "cannot be told", tone: "warn" as const }) : undefined;
  return (
    <article class={`panel stack${isChosen ? " panel-chosen" : ""}`} ref={place} data-risk={risk.name}>
      <div class="section-head">
        <h3 tabIndex={-1}>{risk.name}</h3>
        {applies && <Badge tone={applies.tone}>{applies.word}</Badge>}
        {risk.appliesToAll && <Badge tone="bad">applies to all clusters</Badge>}
        {risk.url && (
          <a href={risk.url} rel="noreferrer noopener" target="_blank">
            more about it<span class="unseen"> ({risk.name})</span>
          </a>
        )}
      </div>
      <p class="lines">{risk.message}</p>
      {risk.applies?.message && !risk.applies.message.startsWith(risk.message) && <p class="quiet lines">{risk.applies.message}</p>}
      <p class="quiet">Stands against {updates.map((each) => each.release.version).join(", ")}</p>
      {risk.queries.map((query) => (
        <pre key={query} class="query" tabIndex={0} aria-label={`Query of ${risk.name}`}>
          <code>{query}</code>
        </pre>
      ))}
      {risk.queries.length > 0 && !hasMetrics && <p class="quiet">The metrics of this cluster cannot be read here, so the query cannot be evaluated on them.</p>}
      {risk.queries.length > 0 && hasMetrics && !isAsked && (
        <div>
          <button type="button" onClick={() => setAsked(true)}>
            Why here?<span class="unseen"> ({risk.name})</span>
          </button>
        </div>
      )}
      {isAsked && risk.queries.map((query) => <WhyHere key={query} cluster={cluster} query={query} />)}
    </article>
  );
}
