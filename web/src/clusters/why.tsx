// "Why here": the query of a risk evaluated on the metrics of this cluster, expression by expression.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Outcome } from "../api/http";
import { type ExplainedNode, type VerdictKind, type Why, fetchWhy } from "../api/updates";
import { Badge, Loading, ProblemNote, type Tone } from "../components/basic";

export const kVerdictWords: Readonly<Record<VerdictKind, { word: string; tone: Tone }>> = {
  Applies: { word: "applies here", tone: "bad" },
  DoesNotApply: { word: "does not apply here", tone: "good" },
  Unknown: { word: "cannot be told", tone: "warn" },
};

export function WhyHere({ cluster, query }: { readonly cluster: string; readonly query: string }): JSX.Element {
  const [answer, setAnswer] = useState<Outcome<Why>>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    setAnswer(undefined);
    void fetchWhy(cluster, query).then((found) => {
      if (isWanted) setAnswer(found);
    });
    return () => {
      isWanted = false;
    };
  }, [cluster, query, tries]);
  if (!answer) return <Loading what="the evaluation" />;
  const again = () => setTries((n) => n + 1);
  if (!answer.ok) return <ProblemNote title="The query could not be evaluated" problem={answer.problem} onRetry={again} />;
  const words = kVerdictWords[answer.value.verdict];
  return (
    <div class="stack">
      <p>
        Evaluated now on the metrics of {cluster}: the risk <Badge tone={words.tone}>{words.word}</Badge>
        {answer.value.problem && ` (${answer.value.problem})`}{" "}
        <button type="button" class="small" onClick={again}>
          Evaluate again
        </button>
      </p>
      {answer.value.tree && (
        <div class="tree" role="region" aria-label="The query, evaluated" tabIndex={0}>
          <ul>
            <Node node={answer.value.tree} />
          </ul>
        </div>
      )}
    </div>
  );
}

function Node({ node }: { readonly node: ExplainedNode }): JSX.Element {
  return (
    <li>
      <code>{node.expr}</code>
      <Value node={node} />
      {node.children && node.children.length > 0 && (
        <ul>
          {node.children.map((child, index) => (
            <Node key={index} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Value({ node }: { readonly node: ExplainedNode }): JSX.Element | null {
  if (node.seriesCount === undefined) return null;
  if (node.sampleCount !== undefined) {
    return (
      <p class="tree-value quiet">
        {node.seriesCount} series, {node.sampleCount} samples
      </p>
    );
  }
  if (node.seriesCount === 0) return <p class="tree-value quiet">no series</p>;
  const shown = node.series ?? [];
  if (node.type === "scalar" && shown[0]?.value[1] === node.expr) return null; // a number is what it is
  return (
    <>
      {shown.map((each, index) => (
        <p key={index} class="tree-value">
          {Object.keys(each.metric).length > 0 && <code>{labelsText(each.metric)} </code>}
          <code class="strong">{each.value[1]}</code>
        </p>
      ))}
      {node.seriesCount > shown.length && <p class="tree-value quiet">and {node.seriesCount - shown.length} more</p>}
    </>
  );
}

// cluster_proxy_enabled{type="http"}
export function labelsText(metric: Readonly<Record<string, string>>): string {
  const { __name__: name = "", ...labels } = metric;
  const inner = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return inner.length > 0 || !name ? `${name}{${inner.join(", ")}}` : name;
}
