// The states of something that is watched: loading, failed, out of date, there.
import type { ComponentChildren, JSX } from "preact";
import type { WatchView } from "../api/watch";
import { Loading, ProblemNote } from "./basic";

// Above what is shown though the connection to its server is lost.
export function StaleNote({ views }: { readonly views: Iterable<WatchView<unknown>> }): JSX.Element | null {
  if (![...views].some((view) => view.state === "reconnecting")) return null;
  return (
    <p class="note note-warn" role="status">
      The connection is lost; this may be out of date. Reconnecting…
    </p>
  );
}

export function Watched<T>({ what, view, children }: {
  readonly what: string;
  readonly view: WatchView<T>;
  readonly children: (items: readonly T[]) => ComponentChildren;
}): JSX.Element {
  if (view.state === "loading") return <Loading what={what} />;
  if (view.state === "failed" && view.problem) return <ProblemNote title={`Cannot read ${what}`} problem={view.problem} />;
  return (
    <>
      <StaleNote views={[view]} />
      {children(view.items)}
    </>
  );
}
