// Search for a release or a risk: a combobox with a list of hits.
import type { JSX, RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Graph } from "./model";
import { type Hit, search } from "./search";

const kMostHits = 30;

export interface SearchBoxProps {
  readonly graph: Graph;
  readonly input: RefObject<HTMLInputElement>;
  readonly onHit: (hit: Hit) => void;
}

export function SearchBox({ graph, input, onHit }: SearchBoxProps): JSX.Element {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const hits = isOpen ? search(graph, text, kMostHits) : [];

  const take = (hit: Hit | undefined) => {
    if (!hit) return;
    setOpen(false);
    setText(hit.text);
    onHit(hit);
  };
  const step = (by: number) => setActive((now) => (hits.length === 0 ? 0 : (now + by + hits.length) % hits.length));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter") take(hits[active]);
    else if (event.key === "Escape" && (isOpen || text)) {
      setOpen(false);
      setText("");
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };

  return (
    <div class="graph-search">
      <label for="graph-search">Search (/)</label>
      <input
        id="graph-search"
        ref={input}
        type="search"
        role="combobox"
        placeholder="Version or risk"
        autocomplete="off"
        aria-expanded={hits.length > 0}
        aria-controls="graph-hits"
        aria-autocomplete="list"
        aria-activedescendant={hits.length > 0 ? `graph-hit-${active}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <ul id="graph-hits" class="graph-hits" role="listbox" aria-label="Hits" hidden={hits.length === 0}>
        {hits.map((hit, i) => (
          <li
            key={`${hit.kind} ${hit.text}`}
            id={`graph-hit-${i}`}
            role="option"
            aria-selected={i === active}
            onPointerDown={(event) => {
              event.preventDefault(); // the field keeps the focus until the hit is taken
              take(hit);
            }}
          >
            {hit.text} <span class="quiet">{hit.kind}</span>
          </li>
        ))}
      </ul>
      <span class="unseen" role="status">
        {isOpen && text ? (hits.length === 0 ? "Nothing found" : `${hits.length} found`) : ""}
      </span>
    </div>
  );
}
