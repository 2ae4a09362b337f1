// One release, or one folded run, as a button.
import type { JSX } from "preact";
import { type Folded, isFolded, labelOf } from "./fold";
import { type Graph, versionOf } from "./model";
import type { Relation } from "./relations";
import { total } from "./verdicts";
import { kKinds, plural, tallySigns, tallyWords } from "./words";

export interface ItemProps {
  readonly graph: Graph;
  readonly folded: Folded;
  readonly number: number;
  readonly isFocus: boolean;
  readonly isDimmed: boolean;
  readonly isOnPath: boolean;
  readonly isCursor: boolean;
  readonly relation: Relation | undefined;
  readonly clustersAt: ReadonlyMap<string, readonly string[]>;
  readonly onPress: () => void;
}

function relationWords(relation: Relation): string {
  const way = relation.direction === "to" ? "an update to it" : "an update from it";
  const which = relation.updates > 1 ? `${relation.updates} updates ${relation.direction === "to" ? "to" : "from"} these` : way;
  const said = total(relation.tally) > 0 ? `, ${tallyWords(relation.tally)}` : "";
  return `${which}: ${kKinds[relation.kind].word}${said}`;
}

function classOf(props: ItemProps): string {
  const item = props.folded.items[props.number];
  const names = ["graph-item"];
  if (item && isFolded(item)) names.push("graph-run");
  if (item && props.graph.releases[item.releases[0] ?? 0]?.isPrerelease) names.push("graph-prerelease");
  if (props.isFocus) names.push("graph-focus");
  if (props.isDimmed) names.push("graph-dimmed");
  if (props.isOnPath) names.push("graph-on-path");
  if (props.relation) names.push(`graph-${props.relation.direction}`, `graph-kind-${props.relation.kind}`);
  return names.join(" ");
}

export function ItemButton(props: ItemProps): JSX.Element | null {
  const { graph, folded, relation } = props;
  const item = folded.items[props.number];
  if (!item) return null;
  const label = labelOf(graph, item);
  const clusters = item.releases.flatMap((release) => props.clustersAt.get(versionOf(graph, release)) ?? []);
  const run = isFolded(item) ? `${item.releases.length} releases, folded` : "";
  const here = clusters.length > 0 ? `${plural(clusters.length, "cluster")} here` : "";
  const said = relation ? relationWords(relation) : "";
  const name = [label, run, here, props.isOnPath ? "on the way" : "", said].filter(Boolean).join(", ");
  return (
    <button
      type="button"
      class={classOf(props)}
      data-item={props.number}
      tabIndex={props.isCursor ? 0 : -1}
      aria-label={name}
      aria-pressed={isFolded(item) ? undefined : props.isFocus}
      aria-expanded={isFolded(item) ? false : undefined}
      title={clusters.length > 0 ? `Clusters here: ${clusters.join(", ")}` : undefined}
      onClick={props.onPress}
    >
      <span class="graph-label">{label}</span>
      {isFolded(item) && <span class="graph-count">({item.releases.length})</span>}
      {clusters.length > 0 && <span class="graph-here">●{clusters.length}</span>}
      {relation && (
        <span class="graph-sign">
          {total(relation.tally) > 0 ? tallySigns(relation.tally) : kKinds[relation.kind].sign}
        </span>
      )}
    </button>
  );
}
