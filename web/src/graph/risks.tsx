// A risk as it is told everywhere on the page: message, link, rules, and what clusters say of it.
import type { JSX } from "preact";
import { Badge, type Tone } from "../components/basic";
import { hrefTo } from "../router";
import type { MatchingRule, Risk } from "./model";
import { type Cluster, type RiskVerdict, riskVerdict } from "./verdicts";

const kVerdicts: Readonly<Record<RiskVerdict, { readonly text: string; readonly tone: Tone }>> = {
  applies: { text: "✕ applies", tone: "bad" },
  doesNotApply: { text: "✓ does not apply", tone: "good" },
  unknown: { text: "? cannot tell", tone: "warn" },
};

function Rule({ rule }: { readonly rule: MatchingRule }): JSX.Element {
  if (rule.type === "Always") return <p>Applies to every cluster.</p>;
  const query = rule.promql?.promql.trim();
  if (!query) return <p>Decided by a rule of type {rule.type}.</p>;
  return (
    <details>
      <summary>Query that decides</summary>
      <pre tabIndex={0} aria-label="PromQL query">
        <code>{query}</code>
      </pre>
    </details>
  );
}

export function RiskVerdicts({ risk, clusters }: { readonly risk: Risk; readonly clusters: readonly Cluster[] }): JSX.Element | null {
  const told = clusters.flatMap((cluster) => {
    const verdict = riskVerdict(cluster, risk);
    return verdict ? [{ cluster, verdict }] : [];
  });
  if (told.length === 0) return null;
  return (
    <ul class="graph-steps" aria-label={`What clusters evaluated of ${risk.name}`}>
      {told.map(({ cluster, verdict }) => (
        <li key={cluster.name}>
          <Badge tone={kVerdicts[verdict].tone}>{kVerdicts[verdict].text}</Badge> on {cluster.name}{" "}
          <a href={hrefTo(["clusters", cluster.name], { risk: risk.name })}>
            Why here<span class="unseen"> for {risk.name} on {cluster.name}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

export function RiskNote({ risk, clusters }: { readonly risk: Risk; readonly clusters: readonly Cluster[] }): JSX.Element {
  return (
    <div class="graph-risk">
      <p class="strong breakable">{risk.name}</p>
      <p class="breakable">{risk.message}</p>
      {risk.url && (
        <p>
          <SafeLink url={risk.url} />
        </p>
      )}
      {risk.matchingRules.map((rule, i) => (
        <Rule key={i} rule={rule} />
      ))}
      <RiskVerdicts risk={risk} clusters={clusters} />
    </div>
  );
}

// Texts come from graph data: only what is a web address becomes a link.
export function SafeLink({ url }: { readonly url: string }): JSX.Element {
  if (!/^https?:\/\//i.test(url)) return <span class="breakable">{url}</span>;
  return (
    <a class="breakable" href={url} rel="noreferrer noopener" target="_blank">
      {url}
      <span class="unseen"> (opens a new tab)</span>
    </a>
  );
}
