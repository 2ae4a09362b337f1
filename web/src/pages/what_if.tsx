// What if: a block that is not merged yet, and the clusters that it would touch.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Outcome } from "../api/http";
import { type WhatIf, type WhatIfCluster, askWhatIf } from "../api/updates";
import { kVerdictWords } from "../clusters/why";
import { Badge, Empty, Page, ProblemNote, Section, type Tone } from "../components/basic";
import { Table } from "../components/table";
import { hrefTo, useRoute } from "../router";

const kExample = `to: 4.7.0
from: 4[.]6[.].*
url: https://example.com/incidents/42
name: SlowStartBehindProxy
message: Behind a proxy, the cluster may take an hour to come back.
matchingRules:
- type: PromQL
  promql:
    promql: |
      group(cluster_proxy_enabled{type=~"https?"} == 1)
      or
      0 * group(cluster_proxy_enabled)
`;

const kStates: Readonly<Record<string, Tone>> = { recommended: "good", "not recommended": "bad", unknown: "warn", absent: "quiet" };

export function WhatIfPage(): JSX.Element {
  const { query } = useRoute();
  const [block, setBlock] = useState(query.get("block") ?? "");
  const [isAsking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<Outcome<WhatIf>>();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!block.trim() || isAsking) return;
    setAsking(true);
    setAnswer(await askWhatIf(block));
    setAsking(false);
  };
  return (
    <Page title="What if">
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <label for="block">A block, as a file of blocked-edges</label>
        <p id="block-hint" class="quiet">
          It is judged on the graph that is served now and on the metrics of the clusters that you may read. Nothing is changed.
        </p>
        <textarea id="block" rows={14} spellcheck={false} aria-describedby="block-hint" required value={block} onInput={(event) => setBlock(event.currentTarget.value)} />
        <div class="actions">
          <button type="submit" class="primary" disabled={isAsking || !block.trim()}>
            {isAsking ? "Asking…" : "What would it touch?"}
          </button>
          <button type="button" onClick={() => setBlock(kExample)}>
            Load an example
          </button>
        </div>
      </form>
      <div aria-live="polite" aria-busy={isAsking}>
        {answer && <Answer answer={answer} />}
      </div>
    </Page>
  );
}

function Answer({ answer }: { readonly answer: Outcome<WhatIf> }): JSX.Element {
  if (!answer.ok) return <ProblemNote title="This block cannot be judged" problem={answer.problem} />;
  const { block, clusters, untouched, findings = [] } = answer.value;
  const title = `${block.name || "A block"} against ${block.to}`;
  return (
    <Section title={title} aside={<span class="quiet">{summaryOf(answer.value)}</span>}>
      {findings.map((finding) => (
        <p key={`${finding.id} ${finding.message}`} class="note note-warn">
          {finding.message}
          {finding.fix ? ` (${finding.fix})` : ""}
        </p>
      ))}
      {clusters.length === 0 ? (
        <Empty title="It touches no cluster">
          <p>{untouched === 0 ? "There are no clusters with a version to update." : `The updates of ${untouched} clusters stay as they are.`}</p>
        </Empty>
      ) : (
        <ImpactTable clusters={clusters} />
      )}
    </Section>
  );
}

function summaryOf({ clusters, untouched }: WhatIf): string {
  const losing = clusters.filter((each) => each.updates?.some((update) => update.before === "recommended" && update.after !== "recommended")).length;
  return `${clusters.length} touched, ${losing} of them lose a recommended update; ${untouched} untouched`;
}

function ImpactTable({ clusters }: { readonly clusters: readonly WhatIfCluster[] }): JSX.Element {
  return (
    <Table
      caption="Clusters that the block would touch"
      rows={clusters}
      keyOf={(cluster) => cluster.name}
      columns={[
        { title: "Cluster", cell: (cluster) => <a href={hrefTo(["clusters", cluster.name])}>{cluster.name}</a> },
        { title: "Version", cell: (cluster) => cluster.version },
        { title: "Channel", cell: (cluster) => cluster.channel },
        {
          title: "The risk",
          cell: (cluster) => (
            <>
              <Badge tone={kVerdictWords[cluster.verdict].tone}>{kVerdictWords[cluster.verdict].word}</Badge>
              {cluster.reason && <p class="quiet">{cluster.reason}</p>}
            </>
          ),
        },
        {
          title: "Updates",
          isWide: true,
          cell: (cluster) => (
            <ul class="plain">
              {(cluster.updates ?? []).map((update) => (
                <li key={update.version}>
                  {update.version}: <Badge tone={kStates[update.after] ?? "quiet"}>{update.after}</Badge> <span class="quiet">was {update.before}</span>
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  );
}
