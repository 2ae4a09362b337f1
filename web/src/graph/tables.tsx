// The updates of the focus in words: what the canvas shows as lines.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../components/basic";
import { type Column, Table } from "../components/table";
import { type Graph, risksOf, versionOf } from "./model";
import { kindOfUpdate } from "./relations";
import { type Evaluations, tallyOf, total } from "./verdicts";
import { kKinds, plural, tallyWords } from "./words";

const kFirstRows = 12;

interface Row {
  readonly update: number;
  readonly version: string; // the other end
}

export interface FocusTablesProps {
  readonly graph: Graph;
  readonly evaluations: Evaluations;
  readonly focus: string;
  readonly onFocus: (version: string) => void;
  readonly onUpdate: (from: string, to: string) => void;
}

function rowsOf(graph: Graph, updates: readonly number[], ends: Uint32Array): readonly Row[] {
  return updates
    .map((update) => ({ update, release: ends[update] ?? 0 }))
    .sort((a, b) => b.release - a.release)
    .map(({ update, release }) => ({ update, version: versionOf(graph, release) }));
}

export function FocusTables(props: FocusTablesProps): JSX.Element | null {
  const { graph, focus } = props;
  const release = graph.numberOf.get(focus);
  if (release === undefined) return null;
  return (
    <div class="graph-lists">
      <UpdateTable {...props} title={`Updates from ${focus}`} other="To" rows={rowsOf(graph, graph.out[release] ?? [], graph.to)} />
      <UpdateTable {...props} title={`Updates to ${focus}`} other="From" rows={rowsOf(graph, graph.in[release] ?? [], graph.from)} />
    </div>
  );
}

function UpdateTable(props: FocusTablesProps & { readonly title: string; readonly other: "To" | "From"; readonly rows: readonly Row[] }): JSX.Element {
  const { graph, evaluations, focus, other, rows } = props;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, kFirstRows);
  const columns: Column<Row>[] = [
    {
      title: other,
      cell: ({ version }) => (
        <button type="button" class="graph-link" onClick={() => props.onFocus(version)}>
          {version}
        </button>
      ),
    },
    {
      title: "State",
      cell: ({ update, version }) => {
        const kind = kKinds[kindOfUpdate(graph, evaluations, update)];
        const ends = other === "To" ? ([focus, version] as const) : ([version, focus] as const);
        const tally = tallyOf(evaluations.get(update) ?? []);
        return (
          <>
            <Badge tone={kind.tone}>
              {kind.sign} {total(tally) > 0 ? tallyWords(tally) : kind.word}
            </Badge>{" "}
            <button type="button" class="graph-link" onClick={() => props.onUpdate(...ends)}>
              Details<span class="unseen"> of {ends[0]} to {ends[1]}</span>
            </button>
          </>
        );
      },
    },
    {
      title: "Risks",
      isWide: true,
      cell: ({ update }) => risksOf(graph, update).map((risk) => risk.name).join(", ") || <span class="quiet">none</span>,
    },
  ];
  return (
    <div class="stack">
      <h2>
        {props.title} ({rows.length})
      </h2>
      {rows.length === 0 ? (
        <p class="quiet">None in this channel.</p>
      ) : (
        <Table caption={props.title} columns={columns} rows={shown} keyOf={({ version }) => version} />
      )}
      {rows.length > shown.length && (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          Show all {plural(rows.length, "update")}
        </button>
      )}
    </div>
  );
}
