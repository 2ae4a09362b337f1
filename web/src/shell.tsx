// The frame around every page: skip link, header, navigation, who is signed in, and whether the page is live.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ConsoleFacts } from "./api/updates";
import { connection } from "./api/watch";
import { useFacts } from "./facts";
import icon from "./icon.svg";
import { useRoute } from "./router";
import { session, signOut } from "./session";
import { useStore } from "./store";

interface NavEntry {
  readonly path: string;
  readonly title: string;
}

const kGraph: NavEntry = { path: "graph", title: "Graph" };
const kFleet: readonly NavEntry[] = [
  { path: "clusters", title: "Clusters" },
  { path: "rollouts", title: "Rollouts" },
  { path: "ingress", title: "Ingress" },
  { path: "devices", title: "Devices" },
];
const kWhatIf: NavEntry = { path: "what-if", title: "What if" };

// What there is something to show for.
function entriesOf({ updateService, clusters }: ConsoleFacts): readonly NavEntry[] {
  const hasClusters = clusters.length > 0;
  return [...(updateService ? [kGraph] : []), ...(hasClusters ? kFleet : []), ...(updateService && hasClusters ? [kWhatIf] : [])];
}

export function Shell({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const facts = useFacts();
  const { path } = useRoute();
  const main = useRef<HTMLElement>(null);
  const now = useStore(session);
  const place = path.join("/");
  const isFirst = useRef(true);

  // A new page begins at its heading: for the keyboard, and for screen readers, which read it out.
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    scrollTo(0, 0);
    main.current?.querySelector("h1")?.focus();
  }, [place]);

  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault(); // the hash is the route
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="header">
        <a class="brand" href="#/">
          <img src={icon} alt="" />
          Fairway
        </a>
        <nav class="nav" aria-label="Pages">
          <ul>
            {entriesOf(facts).map((entry) => (
              <li key={entry.path}>
                <a href={`#/${entry.path}`} aria-current={path[0] === entry.path ? "page" : undefined}>
                  {entry.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="header-end">
          <ConnectionState />
          {now.state === "signed-in" && (
            <button type="button" class="small" onClick={signOut}>
              Sign out
            </button>
          )}
        </div>
      </header>
      <main class="main" id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <footer class="footer">Fairway {facts.version}</footer>
    </>
  );
}

const kWords = { idle: "", live: "Live", reconnecting: "Reconnecting…" } as const;

function ConnectionState(): JSX.Element {
  const state = useStore(connection);
  return (
    <span role="status" class={state === "idle" ? undefined : `connection connection-${state}`}>
      {kWords[state]}
    </span>
  );
}
