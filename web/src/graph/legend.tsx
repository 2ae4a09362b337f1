import type { JSX } from "preact";
import { type Kind, kKinds } from "./words";

const kDashes: Readonly<Record<Kind, string | undefined>> = {
  recommended: undefined,
  conditional: "7 4",
  mixed: "9 3 2 3",
  good: undefined,
  bad: "4 3",
  unsure: "1.5 4",
};

export function Legend({ isEvaluated }: { readonly isEvaluated: boolean }): JSX.Element {
  const kinds: readonly Kind[] = isEvaluated
    ? ["good", "bad", "unsure", "recommended", "conditional", "mixed"]
    : ["recommended", "conditional", "mixed"];
  return (
    <ul class="graph-legend" aria-label="Legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <svg class={`graph-legend-${kind}`} viewBox="0 0 34 10" aria-hidden="true">
            <line x1="0" y1="5" x2="34" y2="5" stroke-dasharray={kDashes[kind]} />
          </svg>
          {kKinds[kind].sign} {kKinds[kind].word}
        </li>
      ))}
      <li>double frame: releases alike in risks and ways on, folded</li>
      <li>●n: clusters here</li>
    </ul>
  );
}
