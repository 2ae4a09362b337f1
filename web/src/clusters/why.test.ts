import assert from "node:assert/strict";
import { test } from "node:test";
import { labelsText } from "./why";

test("series are written as Prometheus writes them", () => {
  assert.equal(labelsText({ __name__: "up" }), "up");
  assert.equal(labelsText({ __name__: "up", job: 'a"b', x: "y" }), 'up{job="a\\"b", x="y"}');
  assert.equal(labelsText({}), "{}");
});
