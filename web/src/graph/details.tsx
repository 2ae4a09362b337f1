// What is looked at, in words: a release, an update or a risk.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge, Facts, Loading, ProblemNote } from "../components/basic";
import { hrefTo } from "../router";
import { useAsked } from "./asked";
import { type Graph, allRisks, findUpdate, risksOf } from "./model";
import { kindOfUpdate } from "./relations";
import { RiskNote, SafeLink } from "./risks";
import { type Explanation, type Place, fetchExplanation } from "./service";
import { type Cluster, type Evaluations, type Judgement, tallyOf, total } from "./verdicts";
import { kKinds, kVerdictWords, kindOfVerdict, plural, tallyWords } from "./words";

export interface DetailsProps {
  readonly graph: Graph;
  readonly place: Place;
  readonly evaluations: Evaluations;
  readonly clusters: readonly Cluster[]; // that colour the graph; none: it is not coloured
  readonly onUpdate: (from: string, to: string) => void;
  readonly onClose: () => void;
}

function Head({ title, onClose }: { readonly title: string; readonly onClose: () => void }): JSX.Element {
  return (
    <div class="graph-panel-head">
      <h2 class="breakable">{title}</h2>
      <button type="button" class="small" onClick={onClose}>
        Clear<span class="unseen"> {title}</span>
      </button>
    </div>
  );
}

export function ReleaseDetails(props: DetailsProps & { readonly version: string }): JSX.Element {
  const { graph, version } = props;
  const number = graph.numberOf.get(version);
  const release = number === undefined ? undefined : graph.releases[number];
  if (!release || number === undefined) {
    return (
      <section class="panel stack" aria-label="Release">
        <Head title={version} onClose={props.onClose} />
        <p>This release is not in the channel.</p>
      </section>
    );
  }
  const here = props.clusters.filter((cluster) => cluster.version === version);
  const out = graph.out[number] ?? [];
  const conditional = out.filter((update) => graph.riskSet[update] !== 0).length;
  return (
    <section class="panel stack" aria-label="Release">
      <Head title={version} onClose={props.onClose} />
      <p>
        {plural(out.length, "update")} from it, {conditional} with risks; {plural((graph.in[number] ?? []).length, "update")} to it.
      </p>
      <Facts
        rows={[
          ["Payload", <code key="payload">{release.payload}</code>],
          ["Channels", release.channels.join(", ")],
          ["Erratum", release.url ? <SafeLink url={release.url} /> : undefined],
          ["Clusters here", here.map(({ name, channel }) => (channel === props.place.channel ? name : `${name} (in ${channel || "no channel"})`)).join(", ")],
        ]}
      />
      <WhyNot {...props} from={version} />
    </section>
  );
}

// An update that is not there cannot be clicked, so its end is typed.
function WhyNot({ from, onUpdate }: DetailsProps & { readonly from: string }): JSX.Element {
  const [to, setTo] = useState("");
  return (
    <form
      class="graph-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (to.trim()) onUpdate(from, to.trim());
      }}
    >
      <div class="graph-field">
        <label for="graph-why-to">Explain the update to</label>
        <input id="graph-why-to" type="text" required list="graph-versions" autocomplete="off" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
      </div>
      <button type="submit" class="graph-beside">
        Explain
      </button>
    </form>
  );
}

export function UpdateDetails(props: DetailsProps & { readonly from: string; readonly to: string }): JSX.Element {
  const { graph, from, to, evaluations, clusters } = props;
  const update = findUpdate(graph, from, to);
  const judgements = update === undefined ? [] : (evaluations.get(update) ?? []);
  const kind = update === undefined ? undefined : kKinds[kindOfUpdate(graph, evaluations, update)];
  const tally = tallyOf(judgements);
  return (
    <section class="panel stack" aria-label="Update">
      <Head title={`${from} → ${to}`} onClose={props.onClose} />
      <p>
        {kind ? (
          <Badge tone={kind.tone}>
            {kind.sign} {clusters.length > 1 && total(tally) > 0 ? tallyWords(tally) : kind.word}
          </Badge>
        ) : (
          <Badge tone="quiet">not in this graph</Badge>
        )}
      </p>
      <ExplanationNote {...props} isThere={update !== undefined} />
      {judgements.length > 0 && <Judgements judgements={judgements} />}
      {update !== undefined && risksOf(graph, update).map((risk) => <RiskNote key={risk.name} risk={risk} clusters={clusters} />)}
    </section>
  );
}

function Judgements({ judgements }: { readonly judgements: readonly Judgement[] }): JSX.Element {
  return (
    <ul class="graph-steps" aria-label="What clusters evaluated">
      {judgements.map((each) => {
        const kind = kKinds[kindOfVerdict(each.verdict)];
        return (
          <li key={each.cluster}>
            <a href={hrefTo(["clusters", each.cluster])}>{each.cluster}</a>{" "}
            <Badge tone={kind.tone}>
              {kind.sign} {kVerdictWords[each.verdict]}
            </Badge>
            {each.reason && <span class="quiet"> {each.reason}</span>}
            {each.basis === "risks" && <span class="quiet"> by its verdicts on these risks</span>}
            <Message text={each.message} />
          </li>
        );
      })}
    </ul>
  );
}

const kShortMessage = 140;

function Message({ text }: { readonly text: string }): JSX.Element | null {
  if (!text) return null;
  if (text.length <= kShortMessage) return <p class="breakable">{text}</p>;
  return (
    <details>
      <summary>What it says</summary>
      <p class="breakable graph-message">{text}</p>
    </details>
  );
}

function ExplanationNote({ place, from, to, isThere }: DetailsProps & { readonly from: string; readonly to: string; readonly isThere: boolean }): JSX.Element {
  const key = JSON.stringify(["explain", place.channel, place.arch, from, to]);
  const asked = useAsked<Explanation>(key, (signal) => fetchExplanation(place, from, to, signal));
  if (asked.state === "waiting") return <Loading what="the explanation" />;
  if (asked.state === "failed") return <ProblemNote title="Cannot explain it" problem={asked.problem} onRetry={asked.retry} />;
  const { summary, causes = [] } = asked.value;
  const list = (
    <ul class="graph-steps" aria-label="Causes">
      {causes.map((cause, i) => (
        <li key={i}>
          {cause.file ? <code class="breakable">{cause.file}</code> : "The release"}: {cause.what}
          {cause.risk && <span> ({cause.risk.name})</span>}
          {cause.risk && !isThere && <RiskNote risk={cause.risk} clusters={[]} />}
        </li>
      ))}
    </ul>
  );
  return (
    <div class="stack">
      <p>
        {place.revision && <span class="quiet">As of now: </span>}
        {summary.slice(0, 1).toUpperCase() + summary.slice(1)}.
      </p>
      {causes.length > 0 && !isThere && list}
      {causes.length > 0 && isThere && (
        <details>
          <summary>Which files say so ({causes.length})</summary>
          {list}
        </details>
      )}
    </div>
  );
}

export function RiskDetails(props: DetailsProps & { readonly name: string }): JSX.Element {
  const { graph, name, clusters } = props;
  const risk = allRisks(graph).find((each) => each.name === name);
  const targets = new Set<number>();
  let count = 0;
  for (let update = 0; update < graph.to.length; ++update) {
    if (!risksOf(graph, update).some((each) => each.name === name)) continue;
    count += 1;
    targets.add(graph.to[update] ?? 0);
  }
  const versions = [...targets].sort((a, b) => a - b).map((release) => graph.releases[release]?.version ?? "");
  return (
    <section class="panel stack" aria-label="Risk">
      <Head title={name} onClose={props.onClose} />
      {risk ? (
        <>
          <p>
            On {plural(count, "update")}, to {plural(versions.length, "release")}
            {versions.length > 0 && `: ${versions.length > 6 ? `${versions[0]} … ${versions[versions.length - 1]}` : versions.join(", ")}`}.
          </p>
          <RiskNote risk={risk} clusters={clusters} />
        </>
      ) : (
        <p>No update of this channel has this risk.</p>
      )}
    </section>
  );
}
