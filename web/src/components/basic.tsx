// What every page is made of: the states a page can be in, badges, times.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Problem, describe } from "../api/http";
import { changesAfter, formatAgo, formatLeft, formatTime, parseTime } from "../time";

export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" />
      Loading {what}…
    </p>
  );
}

// Nothing is there, and that is no error: what would be here, and how it comes to be.
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="state state-empty">
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

export function ProblemNote({ title, problem, onRetry }: { readonly title: string; readonly problem: Problem; readonly onRetry?: () => void }): JSX.Element {
  return (
    <div class="note note-bad" role="alert">
      <p class="state-title">{title}</p>
      <p>{describe(problem)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

export type Tone = "good" | "bad" | "warn" | "info" | "quiet";

// The text says it; the tone only helps.
export function Badge({ tone = "quiet", title, children }: { readonly tone?: Tone; readonly title?: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <span class={`badge badge-${tone}`} {...(title ? { title } : {})}>
      {children}
    </span>
  );
}

// The time now, drawn again as often as `after` (milliseconds) asks.
export function useNow(after: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), after);
    return () => clearTimeout(timer);
  }, [now, after]);
  return now;
}

function Moment({ at, text }: { readonly at: string; readonly text: (then: number, now: number) => string }): JSX.Element {
  const then = parseTime(at);
  const now = useNow(then === undefined ? 60_000 : changesAfter(then - Date.now()));
  if (then === undefined) return <span>{at}</span>;
  return (
    <time dateTime={at} title={formatTime(then)}>
      {text(then, now)}
    </time>
  );
}

export function Ago({ at }: { readonly at: string }): JSX.Element {
  return <Moment at={at} text={formatAgo} />;
}

// Counts down to the moment.
export function Left({ at }: { readonly at: string }): JSX.Element {
  return <Moment at={at} text={formatLeft} />;
}

export function Page({ title, crumbs, actions, children }: {
  readonly title: string;
  readonly crumbs?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  useEffect(() => {
    document.title = `${title} · Fairway`;
  }, [title]);
  return (
    <>
      <div class="page-head">
        <div>
          {crumbs && <p class="crumbs">{crumbs}</p>}
          <h1 tabIndex={-1}>{title}</h1>
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

export function Section({ title, aside, children }: { readonly title: string; readonly aside?: ComponentChildren; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren, width?: "wide"];

// Names and values; those without a value are left out.
export function Facts({ rows }: { readonly rows: readonly Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([name, value, width]) => (
          <div key={name} class={width}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
