import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions, isPrerelease, minorOf, parseVersion, withinMinor } from "./semver";

test("versions are in the order of the standard", () => {
  const ordered = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "4.9.59",
    "4.10.0-ec.4",
    "4.10.0-rc.0",
    "4.10.0-rc.10",
    "4.10.0",
    "4.10.0+amd64",
    "4.10.0+s390x",
    "4.10.2",
    "4.10.18446744073709551616",
    "10.0.0",
  ];
  const shuffled = [...ordered].sort((a, b) => (a < b ? 1 : -1));
  assert.deepEqual(shuffled.sort(compareVersions), ordered);
});

test("what is no version comes last", () => {
  assert.deepEqual(["4.10", "nightly", "4.1.0"].sort(compareVersions), ["4.1.0", "4.10", "nightly"]);
  for (const text of ["4.10", "v4.1.0", "4.1.0-", "04.1.0", "4.1.0+", "", "4.1.0-a..b"]) {
    assert.equal(parseVersion(text), undefined, text);
  }
});

test("streams and what is left of a version within one", () => {
  assert.equal(minorOf("4.14.3"), "4.14");
  assert.equal(minorOf("4.14.0-rc.1+arm64"), "4.14");
  assert.equal(minorOf("nightly"), "other");
  assert.equal(withinMinor("4.14.17"), "17");
  assert.equal(withinMinor("4.14.0-rc.3+arm64"), "0-rc.3+arm64");
  assert.equal(isPrerelease("4.14.0-rc.3"), true);
  assert.equal(isPrerelease("4.14.0+arm64"), false);
});
