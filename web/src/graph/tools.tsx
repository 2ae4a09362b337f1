// The pickers above the graph: channel, architecture, whose verdicts, folding, search.
import type { JSX, RefObject } from "preact";
import type { Fleet } from "./fleet";
import type { Graph } from "./model";
import type { Change } from "./page";
import type { Hit } from "./search";
import { SearchBox } from "./search_box";
import { type Selection, archesOf, defaultArch, sortChannels } from "./selection";
import type { ChannelList } from "./service";

export interface ToolsProps {
  readonly channels: ChannelList;
  readonly fleet: Fleet;
  readonly selection: Selection;
  readonly graph: Graph | undefined;
  readonly search: RefObject<HTMLInputElement>;
  readonly change: Change;
}

const kNothing: Partial<Selection> = { focus: "", update: undefined, risk: "" };

export function Tools({ channels, fleet, selection, graph, search, change }: ToolsProps): JSX.Element {
  const names = sortChannels(channels.channels.map((channel) => channel.name));
  const arches = archesOf(channels, selection.channel);
  const onHit = (hit: Hit) =>
    change(hit.kind === "release" ? { focus: hit.text, update: undefined, risk: "" } : { risk: hit.text, update: undefined });
  const onChannel = (channel: string) => {
    const offered = archesOf(channels, channel);
    change({ ...kNothing, channel, arch: offered.includes(selection.arch) ? selection.arch : defaultArch(offered) });
  };
  return (
    <div class="graph-tools" role="group" aria-label="What is shown">
      <div>
        <label for="graph-channel">Channel</label>
        <select id="graph-channel" value={selection.channel} onChange={(event) => onChannel(event.currentTarget.value)}>
          {!names.includes(selection.channel) && <option value={selection.channel}>{selection.channel}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="graph-arch">Architecture</label>
        <select id="graph-arch" value={selection.arch} onChange={(event) => change({ ...kNothing, arch: event.currentTarget.value })}>
          {!arches.includes(selection.arch) && <option value={selection.arch}>{selection.arch}</option>}
          {arches.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {fleet.clusters.length > 0 && (
        <div>
          <label for="graph-by">Coloured by</label>
          <select id="graph-by" value={selection.by} onChange={(event) => change({ by: event.currentTarget.value })}>
            <option value="graph">the graph alone</option>
            <option value="fleet">the fleet's verdicts</option>
            {fleet.clusters.map(({ name, version }) => (
              <option key={name} value={`cluster:${name}`}>
                {name} ({version})
              </option>
            ))}
          </select>
        </div>
      )}
      {graph && <SearchBox graph={graph} input={search} onHit={onHit} />}
      <div class="graph-check">
        <input id="graph-fold" type="checkbox" checked={selection.isFolding} onChange={(event) => change({ isFolding: event.currentTarget.checked })} />
        <label for="graph-fold">Fold runs of releases</label>
      </div>
    </div>
  );
}
