// The way from one release to another over several updates, and the risks to accept on it.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Badge, Loading, ProblemNote } from "../components/basic";
import { useAsked } from "./asked";
import { type Graph, type Risk, allRisks } from "./model";
import { type Path, type PathQuestion, type PathStep, type Place, fetchPath, pathQuery } from "./service";
import { type Cluster, type RiskVerdict, riskVerdict } from "./verdicts";
import { plural } from "./words";

export interface PathFinderProps {
  readonly graph: Graph;
  readonly place: Place;
  readonly cluster: Cluster | undefined; // whose verdicts help to decide
  readonly focus: string;
  readonly onPath: (steps: readonly PathStep[]) => void;
  readonly onUpdate: (from: string, to: string) => void;
}

interface Ends {
  readonly from: string;
  readonly to: string;
}

const kNoSteps: readonly PathStep[] = [];

export function PathFinder(props: PathFinderProps): JSX.Element {
  const { graph, place, cluster, focus, onPath } = props;
  const [typed, setTyped] = useState<Partial<Ends>>({}); // what is not typed follows the cluster and the focus
  const [ends, setEnds] = useState<Ends>();
  const [fewest, setFewest] = useState<"hops" | "risks">("hops");
  const [isAnyChannel, setAnyChannel] = useState(false);
  const [isRecommendedOnly, setRecommendedOnly] = useState(false);
  const [accepted, setAccepted] = useState<readonly string[]>([]);

  const question: PathQuestion | undefined = ends && {
    ...ends,
    channels: isAnyChannel ? [] : [place.channel],
    arch: place.arch,
    fewest,
    accepted,
    isRecommendedOnly,
  };
  const found = useAsked<Path>(question && pathQuery(question), (signal) => fetchPath(question ?? kNever, signal));
  // Without the restriction: which risks would have to be accepted.
  const open = question && isRecommendedOnly ? { ...question, isRecommendedOnly: false } : undefined;
  const others = useAsked<Path>(open && pathQuery(open), (signal) => fetchPath(open ?? kNever, signal));

  const steps = question && found.state === "answered" ? found.value.steps : kNoSteps;
  useEffect(() => onPath(steps), [steps]);

  const candidates = new Set(accepted);
  for (const asked of [found, others]) if (asked.state === "answered") for (const risk of asked.value.risks) candidates.add(risk);

  const start = typed.from ?? cluster?.version ?? focus;
  const end = typed.to ?? (focus === start ? "" : focus);
  return (
    <section class="panel stack" aria-label="Find a way">
      <div class="graph-panel-head">
        <h2>Find a way</h2>
        {ends && (
          <button type="button" class="small" onClick={() => setEnds(undefined)}>
            Clear<span class="unseen"> the way</span>
          </button>
        )}
      </div>
      <form
        class="graph-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (start.trim() && end.trim()) setEnds({ from: start.trim(), to: end.trim() });
        }}
      >
        <div class="graph-field">
          <label for="graph-path-from">From</label>
          <input id="graph-path-from" type="text" required list="graph-versions" autocomplete="off" value={start} onInput={(event) => setTyped({ ...typed, from: event.currentTarget.value })} />
        </div>
        <div class="graph-field">
          <label for="graph-path-to">To</label>
          <input id="graph-path-to" type="text" required list="graph-versions" autocomplete="off" value={end} onInput={(event) => setTyped({ ...typed, to: event.currentTarget.value })} />
        </div>
        <div class="graph-field">
          <label for="graph-path-fewest">Fewest</label>
          <select id="graph-path-fewest" value={fewest} onChange={(event) => setFewest(event.currentTarget.value === "risks" ? "risks" : "hops")}>
            <option value="hops">hops</option>
            <option value="risks">risks</option>
          </select>
        </div>
        <div class="graph-field">
          <label for="graph-path-channels">Channels</label>
          <select id="graph-path-channels" value={isAnyChannel ? "any" : "this"} onChange={(event) => setAnyChannel(event.currentTarget.value === "any")}>
            <option value="this">{place.channel}</option>
            <option value="any">any</option>
          </select>
        </div>
        <div class="graph-check graph-wide">
          <input id="graph-path-only" type="checkbox" checked={isRecommendedOnly} onChange={(event) => setRecommendedOnly(event.currentTarget.checked)} />
          <label for="graph-path-only">No update with a risk that is not accepted</label>
        </div>
        <div class="graph-wide">
          <button type="submit" class="primary">
            Find
          </button>
        </div>
        {ends && candidates.size > 0 && <AcceptedRisks graph={graph} cluster={cluster} names={[...candidates].sort()} accepted={accepted} onAccept={setAccepted} />}
      </form>
      <div aria-live="polite">
        {question && found.state === "waiting" && <Loading what="the way" />}
        {question && found.state === "failed" && <ProblemNote title="No way was found" problem={found.problem} />}
        {question && found.state === "answered" && <Steps path={found.value} onUpdate={props.onUpdate} />}
      </div>
    </section>
  );
}

const kNever: PathQuestion = { from: "", to: "", channels: [], arch: "", fewest: "hops", accepted: [], isRecommendedOnly: false };

const kHere: Readonly<Record<RiskVerdict, string>> = {
  applies: "applies here",
  doesNotApply: "does not apply here",
  unknown: "cannot tell here",
};

function AcceptedRisks({ graph, cluster, names, accepted, onAccept }: {
  readonly graph: Graph;
  readonly cluster: Cluster | undefined;
  readonly names: readonly string[];
  readonly accepted: readonly string[];
  readonly onAccept: (names: readonly string[]) => void;
}): JSX.Element {
  const known = new Map<string, Risk>(allRisks(graph).map((risk) => [risk.name, risk]));
  const verdictOn = (name: string): RiskVerdict | undefined => {
    const risk = known.get(name);
    return cluster && risk ? riskVerdict(cluster, risk) : undefined;
  };
  const harmless = names.filter((name) => verdictOn(name) === "doesNotApply" && !accepted.includes(name));
  return (
    <fieldset class="graph-wide">
      <legend>Risks to accept</legend>
      {names.map((name) => {
        const verdict = verdictOn(name);
        return (
          <div class="graph-check" key={name}>
            <input
              id={`graph-accept-${name}`}
              type="checkbox"
              checked={accepted.includes(name)}
              onChange={(event) => onAccept(event.currentTarget.checked ? [...accepted, name] : accepted.filter((each) => each !== name))}
            />
            <label for={`graph-accept-${name}`}>
              {name}
              {verdict && ` (${kHere[verdict]})`}
            </label>
          </div>
        );
      })}
      {cluster && harmless.length > 0 && (
        <button type="button" class="small" onClick={() => onAccept([...accepted, ...harmless])}>
          Accept what does not apply to {cluster.name}
        </button>
      )}
    </fieldset>
  );
}

function Steps({ path, onUpdate }: { readonly path: Path; readonly onUpdate: (from: string, to: string) => void }): JSX.Element {
  if (path.steps.length === 0) return <p>You are there already.</p>;
  return (
    <div class="stack">
      <p>
        {plural(path.hops, "update")},{" "}
        {path.risks.length === 0 ? "no risk is left" : `${plural(path.risks.length, "risk")} left: ${path.risks.join(", ")}`}.
      </p>
      <ol class="graph-steps">
        {path.steps.map((step) => (
          <li key={step.to}>
            <button type="button" class="graph-link" onClick={() => onUpdate(step.from, step.to)}>
              {step.from} → {step.to}
            </button>{" "}
            {step.channel && <span class="quiet">in {step.channel}</span>}
            <span class="badges">
              {(step.risks ?? []).map((risk) => (
                <Badge key={risk} tone="warn">
                  ! {risk}
                </Badge>
              ))}
              {(step.accepted ?? []).map((risk) => (
                <Badge key={risk}>accepted: {risk}</Badge>
              ))}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
