// The console: reads what the server has, then shows the page that the address names.
import { type JSX, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "./api/http";
import { type ConsoleFacts, fetchFacts } from "./api/updates";
import { connection } from "./api/watch";
import { Empty, Loading, Page, ProblemNote } from "./components/basic";
import { FactsContext, hubOf } from "./facts";
import { GraphPage } from "./graph/page";
import { ClusterPage } from "./pages/cluster";
import { ClustersPage } from "./pages/clusters";
import { DevicePage, DevicesPage } from "./pages/devices";
import { IngressPage } from "./pages/ingress";
import { RolloutPage } from "./pages/rollout";
import { RolloutsPage } from "./pages/rollouts";
import { SignInPage } from "./pages/sign_in";
import { WhatIfPage } from "./pages/what_if";
import { openRouter, useRoute } from "./router";
import { openSession, session } from "./session";
import { Shell } from "./shell";
import { useStore } from "./store";
import "./styles/index.css";

const kRetryMillis = 2_000;

// Without the facts there is nothing to show, so they are asked for until they come.
function Console(): JSX.Element {
  const [facts, setFacts] = useState<ConsoleFacts>();
  const [problem, setProblem] = useState<Problem>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isWanted = true;
    void fetchFacts().then((answer) => {
      if (!isWanted) return;
      if (answer.ok) {
        setFacts((known) => (JSON.stringify(known) === JSON.stringify(answer.value) ? known : answer.value));
        return;
      }
      setProblem(answer.problem);
      timer = setTimeout(() => setTries((n) => n + 1), kRetryMillis);
    });
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [tries]);
  useEffect(() => {
    let before = connection.get();
    return connection.subscribe(() => {
      const now = connection.get();
      if (before === "reconnecting" && now === "live") setTries((n) => n + 1); // it may have come back as another one
      before = now;
    });
  }, []);

  if (facts) {
    return (
      <FactsContext.Provider value={facts}>
        <Shell>
          <Content facts={facts} />
        </Shell>
      </FactsContext.Provider>
    );
  }
  return (
    <main class="main">
      <Page title="Fairway">{problem ? <ProblemNote title="The server cannot be reached; trying again" problem={problem} /> : <Loading what="the console" />}</Page>
    </main>
  );
}

function Content({ facts }: { readonly facts: ConsoleFacts }): JSX.Element {
  const now = useStore(session);
  const { path } = useRoute();
  const hub = hubOf(facts) ?? facts.clusters[0]?.name;
  if (hub === undefined) return path.length === 0 || path[0] === "graph" ? <GraphPage /> : <NoSuchPage />;
  if (now.state !== "signed-in") return <SignInPage hub={hub} isExpired={now.state === "expired"} />;
  return <Signed path={path} hub={hub} />;
}

function Signed({ path, hub }: { readonly path: readonly string[]; readonly hub: string }): JSX.Element {
  const [page, first, second, ...more] = path;
  if (more.length > 0) return <NoSuchPage />;
  switch (page) {
    case "graph":
      return <GraphPage />;
    case undefined:
      return <ClustersPage />;
    case "clusters":
      if (second !== undefined) return <NoSuchPage />;
      return first === undefined ? <ClustersPage /> : <ClusterPage key={first} name={first} />;
    case "rollouts":
      if (first === undefined) return <RolloutsPage hub={hub} />;
      return second === undefined ? <NoSuchPage /> : <RolloutPage key={path.join("/")} hub={hub} namespace={first} name={second} />;
    case "ingress":
      return <IngressPage />;
    case "devices":
      if (second !== undefined) return <NoSuchPage />;
      return first === undefined ? <DevicesPage hub={hub} /> : <DevicePage key={first} hub={hub} name={first} />;
    case "what-if":
      return <WhatIfPage />;
    default:
      return <NoSuchPage />;
  }
}

function NoSuchPage(): JSX.Element {
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address">
        <a href="#/">To the beginning</a>
      </Empty>
    </Page>
  );
}

openSession();
openRouter();
const place = document.getElementById("console");
if (place) render(<Console />, place);
