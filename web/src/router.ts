// Routes in the hash: #/clusters/member1?tab=history. Pages link with hrefTo() and read with useRoute().
import { Store, useStore } from "./store";

export interface Route {
  readonly path: readonly string[]; // decoded segments: ["clusters", "member1"]
  readonly query: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#/, "");
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)),
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a lone % in an address that somebody typed
  }
}

export type Query = Readonly<Record<string, string | undefined>>;

export function hrefTo(path: readonly string[], query: Query = {}): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== "") given.set(key, value);
  const text = given.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

const route = new Store<Route>({ path: [], query: new URLSearchParams() });

export function openRouter(): void {
  const read = () => route.set(parseRoute(location.hash));
  addEventListener("hashchange", read);
  read();
}

export function useRoute(): Route {
  return useStore(route);
}

// With `replace`, the entry of the history is changed instead of a new one made: for what is typed or dragged.
export function go(path: readonly string[], query: Query = {}, replace = false): void {
  const href = hrefTo(path, query);
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, "", href);
  route.set(parseRoute(href));
}
