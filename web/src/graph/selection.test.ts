import assert from "node:assert/strict";
import { test } from "node:test";
import { archesOf, chosenCluster, defaultArch, defaultChannel, queryOf, selectionOf, sortChannels } from "./selection";
import { pathQuery } from "./service";

test("a selection survives the address", () => {
  const text = "channel=stable-4.14&arch=arm64&at=abc&by=cluster%3Amember1&focus=4.14.3&update=4.13.1%7E4.14.3&risk=Slow&fold=off";
  const selection = selectionOf(new URLSearchParams(text));
  assert.deepEqual(selection.update, { from: "4.13.1", to: "4.14.3" });
  assert.equal(chosenCluster(selection.by), "member1");
  assert.equal(selection.isFolding, false);
  const query = Object.entries(queryOf(selection)).filter(([, value]) => value) as [string, string][];
  assert.deepEqual(selectionOf(new URLSearchParams(query)), selection);
  assert.equal(selectionOf(new URLSearchParams("update=4.13.1")).update, undefined);
  assert.equal(chosenCluster("fleet"), undefined);
  assert.equal(selectionOf(new URLSearchParams("cluster=member2")).by, "cluster:member2");
});

test("channels are sorted newest first, stable before candidate", () => {
  assert.deepEqual(sortChannels(["nightly", "candidate-4.9", "stable-4.9", "stable-4.10", "eus-4.10", "fast-4.10"]), [
    "stable-4.10",
    "fast-4.10",
    "eus-4.10",
    "stable-4.9",
    "candidate-4.9",
    "nightly",
  ]);
});

test("the channel of most clusters is shown first, else the newest with releases", () => {
  const list = {
    channels: [
      { name: "stable-4.8", releases: {} },
      { name: "stable-4.7", releases: { amd64: 3 } },
      { name: "fast-4.7", releases: { arm64: 1, amd64: 3 } },
    ],
  };
  assert.equal(defaultChannel(list, []), "stable-4.7");
  assert.equal(defaultChannel(list, ["fast-4.7", "stable-4.7", "fast-4.7", "unknown", "unknown", "unknown"]), "fast-4.7");
  assert.equal(defaultChannel({ channels: [] }, []), "");
  assert.deepEqual(archesOf(list, "fast-4.7"), ["amd64", "arm64"]);
  assert.equal(defaultArch(["arm64", "s390x"]), "arm64");
  assert.equal(defaultArch([]), "amd64");
});

test("a question for a path repeats channels and accepted risks", () => {
  const query = pathQuery({
    from: "4.7.0+x",
    to: "4.7.2",
    channels: ["a-4.7", "b-4.7"],
    arch: "amd64",
    fewest: "risks",
    accepted: ["A", "B"],
    isRecommendedOnly: true,
  });
  assert.equal(query, "from=4.7.0%2Bx&to=4.7.2&arch=amd64&fewest=risks&channel=a-4.7&channel=b-4.7&accept=A&accept=B&recommended=true");
});
