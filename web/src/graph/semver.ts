// SemVer 2.0: parsing and a total order.
//
// compareVersions() is the standard's precedence with the build text as a last key, so that sorting is
// deterministic and `4.7.4+amd64` stands beside `4.7.4`. What is no version sorts last, by its text.

export interface Version {
  readonly text: string;
  readonly major: string;
  readonly minor: string;
  readonly patch: string;
  readonly prerelease: readonly string[];
  readonly build: string;
}

const kForm =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

export function parseVersion(text: string): Version | undefined {
  const found = kForm.exec(text);
  if (!found) return undefined;
  const [, major = "", minor = "", patch = "", prerelease, build = ""] = found;
  return { text, major, minor, patch, prerelease: prerelease ? prerelease.split(".") : [], build };
}

// Numbers are compared as text, so that none is too large.
function compareNumbers(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareIdentifiers(a: string, b: string): number {
  const aIsNumber = /^\d+$/.test(a);
  const bIsNumber = /^\d+$/.test(b);
  if (aIsNumber && bIsNumber) return compareNumbers(a, b);
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let i = 0; i < Math.min(a.length, b.length); ++i) {
    const order = compareIdentifiers(a[i] ?? "", b[i] ?? "");
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareParsed(a: Version, b: Version): number {
  return (
    compareNumbers(a.major, b.major) ||
    compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease) ||
    (a.build < b.build ? -1 : a.build > b.build ? 1 : 0)
  );
}

export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left && right) return compareParsed(left, right);
  if (left || right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

// The z-stream that a version belongs to: `4.14`. What is no version has a stream of its own.
export function minorOf(version: string): string {
  const parsed = parseVersion(version);
  return parsed ? `${parsed.major}.${parsed.minor}` : "other";
}

export function isPrerelease(version: string): boolean {
  return (parseVersion(version)?.prerelease.length ?? 0) > 0;
}

// What is left of a version beside others of its stream: `17`, `0-rc.3`.
export function withinMinor(version: string): string {
  const parsed = parseVersion(version);
  return parsed ? version.slice(parsed.major.length + parsed.minor.length + 2) : version;
}
