// The past of the graph data: a slider over its revisions, and what changed since the one that is looked at.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading, ProblemNote } from "../components/basic";
import { formatTime, parseTime } from "../time";
import { useAsked } from "./asked";
import { type Difference, type EdgeState, type Place, type Revision, fetchDifference, fetchRevisions } from "./service";
import { plural } from "./words";

export interface TimelineProps {
  readonly place: Place;
  readonly onRevision: (id: string) => void; // empty: now
  readonly onUpdate: (from: string, to: string) => void;
}

const kMostShown = 60;

function describeRevision(revision: Revision | undefined): string {
  if (!revision) return "";
  const time = parseTime(revision.time);
  return `${time === undefined ? revision.time : formatTime(time)}: ${revision.summary}`;
}

// Nothing where the graph data has no past that can be asked for.
export function Timeline(props: TimelineProps): JSX.Element | null {
  const asked = useAsked("revisions", fetchRevisions);
  if (asked.state !== "answered") {
    const isOurs = asked.state === "failed" && (asked.problem.status === 0 || asked.problem.status >= 500);
    return isOurs ? <ProblemNote title="Cannot read the revisions" problem={asked.problem} onRetry={asked.retry} /> : null;
  }
  const oldestFirst = [...asked.value.revisions].reverse();
  if (oldestFirst.length < 2 && !props.place.revision) return null;
  return <Slider {...props} revisions={oldestFirst} />;
}

function Slider(props: TimelineProps & { readonly revisions: readonly Revision[] }): JSX.Element {
  const { place, revisions, onRevision } = props;
  const newest = revisions.length - 1;
  const chosen = place.revision ? revisions.findIndex((revision) => revision.id === place.revision) : newest;
  const [dragged, setDragged] = useState<number>();
  useEffect(() => setDragged(undefined), [place.revision]);
  const at = dragged ?? (chosen < 0 ? newest : chosen);
  const text = describeRevision(revisions[at]);
  return (
    <section class="panel stack graph-time" aria-label="Time">
      <div class="graph-panel-head">
        <h2>
          <label for="graph-time">As of</label>
        </h2>
        {place.revision && (
          <button type="button" class="small" onClick={() => onRevision("")}>
            Now
          </button>
        )}
      </div>
      <input
        id="graph-time"
        type="range"
        min={0}
        max={newest}
        step={1}
        value={at}
        aria-valuetext={text}
        onInput={(event) => setDragged(event.currentTarget.valueAsNumber)}
        onChange={(event) => {
          const index = event.currentTarget.valueAsNumber;
          onRevision(index === newest ? "" : (revisions[index]?.id ?? ""));
        }}
      />
      <p class="breakable">
        {at === newest && "Now. "}
        {chosen < 0 && dragged === undefined ? place.revision : text}
      </p>
      {place.revision && <Changes {...props} />}
    </section>
  );
}

function Changes(props: TimelineProps): JSX.Element {
  const { place } = props;
  const asked = useAsked<Difference>(JSON.stringify(["diff", place]), (signal) => fetchDifference(place, signal));
  if (asked.state === "waiting") return <Loading what="what changed since" />;
  if (asked.state === "failed") return <ProblemNote title="Cannot compare" problem={asked.problem} onRetry={asked.retry} />;
  const { versions, edges } = asked.value;
  const { added, removed, changed } = versions;
  if (added.length + removed.length + changed.length + edges.length === 0) return <p>Nothing changed in this channel since then.</p>;
  return (
    <div class="stack">
      <h3>Changed since then</h3>
      <Versions title="Releases that came" versions={added} />
      <Versions title="Releases that went" versions={removed} />
      <Versions title="Releases with another payload" versions={changed} />
      {edges.length > 0 && (
        <details>
          <summary>{plural(edges.length, "update")} changed</summary>
          <ul class="graph-steps">
            {edges.slice(0, kMostShown).map((edge) => (
              <li key={`${edge.from} ${edge.to}`}>
                <button type="button" class="graph-link" onClick={() => props.onUpdate(edge.from, edge.to)}>
                  {edge.from} → {edge.to}
                </button>
                : {stateWords(edge.before)} → {stateWords(edge.after)}
              </li>
            ))}
          </ul>
          {edges.length > kMostShown && <p class="quiet">And {edges.length - kMostShown} more.</p>}
        </details>
      )}
    </div>
  );
}

function stateWords(state: EdgeState | null): string {
  if (!state) return "not there";
  return state.risks.length === 0 ? "recommended" : state.risks.join(", ");
}

function Versions({ title, versions }: { readonly title: string; readonly versions: readonly string[] }): JSX.Element | null {
  if (versions.length === 0) return null;
  return (
    <p class="breakable">
      {title} ({versions.length}): {versions.slice(0, kMostShown).join(", ")}
      {versions.length > kMostShown && " …"}
    </p>
  );
}
