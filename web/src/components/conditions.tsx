// Conditions of an object: what is so, since when, and why.
import type { JSX } from "preact";
import type { Condition } from "../api/objects";
import { Ago, Badge, type Tone } from "./basic";
import { Table } from "./table";

// Types whose True is bad news.
const kBad = new Set(["Failing", "Degraded", "Invalid", "ExposedToKnownRisks", "EvaluationConditionsDetected", "ImplicitlyEnabledCapabilities"]);
const kNeutral = new Set(["Progressing", "Evaluating"]);

export function conditionTone(condition: Condition): Tone {
  if (condition.status === "Unknown") return "warn";
  const isTrue = condition.status === "True";
  if (kNeutral.has(condition.type)) return isTrue ? "info" : "quiet";
  if (kBad.has(condition.type)) return isTrue ? "bad" : "quiet";
  return isTrue ? "good" : "warn";
}

export function Conditions({ conditions }: { readonly conditions: readonly Condition[] }): JSX.Element {
  if (conditions.length === 0) return <p class="quiet">None yet.</p>;
  return (
    <Table
      caption="Conditions"
      rows={conditions}
      keyOf={(each) => each.type}
      columns={[
        { title: "Condition", cell: (each) => each.type },
        { title: "Status", cell: (each) => <Badge tone={conditionTone(each)}>{each.status}</Badge> },
        { title: "Reason", cell: (each) => each.reason },
        { title: "Since", cell: (each) => each.lastTransitionTime && <Ago at={each.lastTransitionTime} /> },
        { title: "Message", cell: (each) => each.message, isWide: true },
      ]}
    />
  );
}
