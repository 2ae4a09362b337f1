// The Graph page: which updates a channel has, coloured by what clusters evaluated.
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Empty, Loading, Page, ProblemNote } from "../components/basic";
import { go, useRoute } from "../router";
import { useAsked } from "./asked";
import { Board } from "./board";
import { type Fleet, useFleet } from "./fleet";
import "./graph.css";
import { type Graph, type GraphAnswer, graphOf } from "./model";
import { type Selection, archesOf, defaultArch, defaultChannel, queryOf, selectionOf } from "./selection";
import { type ChannelList, type Place, fetchChannels, fetchGraph } from "./service";
import { Tools } from "./tools";

const kPatienceMillis = 2_000; // with clusters, for the channel that they are in

export function GraphPage(): JSX.Element {
  const fleet = useFleet();
  const channels = useAsked<ChannelList>("channels", fetchChannels);
  const list = channels.state === "answered" ? channels.value : undefined;
  const { selection, change } = useSelection(list, fleet);
  return (
    <Page title="Graph">
      {channels.state === "failed" && <ProblemNote title="Cannot read the channels" problem={channels.problem} onRetry={channels.retry} />}
      {list?.channels.length === 0 && !selection.channel ? (
        <Empty title="There is no channel">
          <p>The update service has graph data without channels, or none yet.</p>
        </Empty>
      ) : (
        <Channel channels={list ?? kNoChannels} fleet={fleet} selection={selection} change={change} />
      )}
    </Page>
  );
}

const kNoChannels: ChannelList = { channels: [] };

// The selection of the address, with what it leaves open filled in. A channel that the address names is not waited for.
function useSelection(channels: ChannelList | undefined, fleet: Fleet) {
  const { query } = useRoute();
  const asked = useMemo(() => selectionOf(query), [query]);
  // Chosen once: a cluster that answers late does not change the channel under the reader, nor hold it up.
  const [preferred, setPreferred] = useState<string>();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), kPatienceMillis);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (!channels || preferred !== undefined || (fleet.isLoading && !isLate)) return;
    setPreferred(defaultChannel(channels, fleet.clusters.map((cluster) => cluster.channel)));
  }, [channels, fleet, isLate, preferred]);
  const channel = asked.channel || preferred || "";
  const arch = asked.arch || defaultArch(archesOf(channels ?? kNoChannels, channel));
  const by = asked.by || (fleet.clusters.length > 0 ? "fleet" : "graph");
  const selection = useMemo(() => ({ ...asked, channel, arch, by }), [asked, channel, arch, by]);
  const current = useRef(asked);
  current.current = asked;
  const change = useCallback((part: Partial<Selection>, isReplacing = false) => {
    go(["graph"], queryOf({ ...current.current, ...part }), isReplacing);
  }, []);
  return { selection, change };
}

export type Change = (part: Partial<Selection>, isReplacing?: boolean) => void;

interface ChannelProps {
  readonly channels: ChannelList;
  readonly fleet: Fleet;
  readonly selection: Selection;
  readonly change: Change;
}

function Channel({ channels, fleet, selection, change }: ChannelProps): JSX.Element {
  const { channel, arch, revision } = selection;
  const place = useMemo<Place>(() => ({ channel, arch, revision }), [channel, arch, revision]);
  const answer = useAsked<GraphAnswer>(channel ? JSON.stringify(place) : undefined, (signal) => fetchGraph(place, signal));
  const graph = useMemo(() => (answer.state === "answered" ? graphOf(answer.value) : undefined), [answer.state === "answered" && answer.value]);
  // The last one stays until the next one is there, so that the slider and the keyboard keep their place.
  const last = useRef<{ readonly graph: Graph; readonly place: Place }>();
  if (graph) last.current = { graph, place };
  else if (answer.state === "failed") last.current = undefined;
  const shown = last.current;
  const search = useRef<HTMLInputElement>(null);
  return (
    <>
      <Tools channels={channels} fleet={fleet} selection={selection} graph={shown?.graph} search={search} change={change} />
      {answer.state === "waiting" && !shown && <Loading what="the graph" />}
      {answer.state === "failed" && <ProblemNote title="Cannot read the graph" problem={answer.problem} onRetry={answer.retry} />}
      {shown && <Board {...shown} isOld={!graph} fleet={fleet} selection={selection} search={search} change={change} />}
    </>
  );
}
