import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIn } from "./http";
import { LineSplitter } from "./lines";
import { Collection, type KubeObject, type WatchEvent, resourcePath } from "./objects";

const object = (name: string, resourceVersion: string, namespace = "default"): KubeObject => ({ metadata: { name, namespace, resourceVersion } });
const event = (type: WatchEvent["type"], given: KubeObject): WatchEvent => ({ type, object: given });

test("a collection follows its events, in the order that people count", () => {
  const collection = new Collection<KubeObject>();
  collection.replace([object("member10", "1"), object("member2", "2")], "2");
  assert.deepEqual(collection.items().map((each) => each.metadata.name), ["member2", "member10"]);
  assert.equal(collection.items(), collection.items(), "the same array while nothing changes");
  assert.equal(collection.take(event("ADDED", object("member1", "3"))), "changed");
  assert.equal(collection.take(event("DELETED", object("member10", "4"))), "changed");
  assert.deepEqual(collection.items().map((each) => each.metadata.name), ["member1", "member2"]);
  assert.equal(collection.take(event("BOOKMARK", object("", "9"))), "unchanged");
  assert.equal(collection.resourceVersion, "9", "it resumes there");
});

test("objects of the same name in two namespaces are two", () => {
  const collection = new Collection<KubeObject>();
  collection.replace([object("a", "1", "one"), object("a", "1", "two")], "1");
  collection.take(event("DELETED", object("a", "2", "one")));
  assert.deepEqual(collection.items().map((each) => each.metadata.namespace), ["two"]);
});

test("after an error the watch begins with a list, and what is known stays", () => {
  const collection = new Collection<KubeObject>();
  collection.replace([object("a", "1")], "1");
  assert.equal(collection.take({ type: "ERROR", object: { metadata: { name: "" }, code: 410 } }), "gone");
  assert.equal(collection.resourceVersion, "");
  assert.equal(collection.items().length, 1);
  assert.equal(collection.take({ type: "ERROR", object: { metadata: { name: "" }, code: 500 } }), "refused");
});

test("lines are whole however the pieces are cut", () => {
  const splitter = new LineSplitter();
  assert.deepEqual(splitter.feed('{"a":'), []);
  assert.deepEqual(splitter.feed('1}\n\n{"b":2}\n{"c"'), ['{"a":1}', '{"b":2}']);
  assert.deepEqual(splitter.feed(":3}\n"), ['{"c":3}']);
});

test("paths are those of Kubernetes below the cluster", () => {
  assert.equal(resourcePath("hub", "v1", "services", "default", "x"), "/clusters/hub/api/v1/namespaces/default/services/x");
  assert.equal(resourcePath("a/b", "apps/v1", "deployments"), "/clusters/a%2Fb/apis/apps/v1/deployments");
});

test("messages are found in a Status, in a problem, and in plain text", () => {
  assert.equal(messageIn('{"kind":"Status","message":"no"}'), "no");
  assert.equal(messageIn('{"kind":"missing_params","value":"mandatory client parameters missing: channel"}'), "mandatory client parameters missing: channel");
  assert.equal(messageIn("plain"), "plain");
  assert.equal(messageIn("<html>".padEnd(900, "x")), "");
  assert.equal(messageIn("{broken"), "");
});
