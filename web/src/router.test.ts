import assert from "node:assert/strict";
import { test } from "node:test";
import { hrefTo, parseRoute } from "./router";

test("what is linked to is what is read", () => {
  const href = hrefTo(["clusters", "a/b c%"], { risk: "x&y", empty: "", none: undefined });
  assert.equal(href, "#/clusters/a%2Fb%20c%25?risk=x%26y");
  const route = parseRoute(href);
  assert.deepEqual(route.path, ["clusters", "a/b c%"]);
  assert.deepEqual([...route.query], [["risk", "x&y"]]);
});

test("odd addresses are read as far as they can be", () => {
  assert.deepEqual(parseRoute("").path, []);
  assert.deepEqual(parseRoute("#/").path, []);
  assert.deepEqual(parseRoute("#//clusters//").path, ["clusters"]);
  assert.deepEqual(parseRoute("#/50%").path, ["50%"]);
  assert.equal(parseRoute("#/a?b=1?2").query.get("b"), "1?2");
});
