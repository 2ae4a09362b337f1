import assert from "node:assert/strict";
import { test } from "node:test";
import { currentToken, expire, session, signIn, signOut, tokenInHash } from "./session";

const kept = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value), removeItem: (key: string) => kept.delete(key) },
});

test("a token is taken from the hash, with the place to be at afterwards", () => {
  assert.deepEqual(tokenInHash("#token=abc"), { token: "abc", rest: "" });
  assert.deepEqual(tokenInHash("#token=a%2Bb&to=%2Frollouts%3Fx%3D1"), { token: "a+b", rest: "#/rollouts?x=1" });
  assert.deepEqual(tokenInHash("#token=abc&to=https://elsewhere"), { token: "abc", rest: "" }, "only a route of ours");
  assert.equal(tokenInHash("#/clusters?token=abc"), undefined);
  assert.equal(tokenInHash("#token="), undefined);
});

test("only the token that was refused expires", () => {
  signIn("new");
  expire("old");
  assert.equal(currentToken(), "new");
  expire("new");
  assert.deepEqual(session.get(), { state: "expired" });
  assert.equal(kept.size, 0, "nothing is left behind");
  signIn("next");
  signOut();
  assert.equal(kept.size, 0);
  expire("next");
  assert.deepEqual(session.get(), { state: "signed-out" }, "who signed out is not told that the token expired");
});
