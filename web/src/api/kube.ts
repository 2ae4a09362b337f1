// The Kubernetes APIs behind the console: lists that stay live, and patches with the user's own rights.
import { useEffect, useMemo, useState } from "preact/hooks";
import { session } from "../session";
import { type Outcome, getJson, sendJson } from "./http";
import { type KubeObject, resourcePath } from "./objects";
import { Watch, type WatchView } from "./watch";

export type { Condition, KubeObject, Metadata } from "./objects";
export type { WatchView } from "./watch";

const watches = new Map<string, Watch<KubeObject>>();

// What one user saw is nothing for the next.
session.subscribe(() => {
  for (const each of watches.values()) each.stop();
  watches.clear();
});

function watchOf<T extends KubeObject>(path: string): Watch<T> {
  let found = watches.get(path);
  if (!found) {
    found = new Watch<KubeObject>(path);
    watches.set(path, found);
  }
  return found as unknown as Watch<T>;
}

// All objects of a resource of one cluster, live; shared by all that ask for the same. `cluster` undefined: nothing is asked.
export function useWatch<T extends KubeObject>(
  cluster: string | undefined,
  groupVersion: string,
  resource: string,
  namespace?: string,
): WatchView<T> {
  const clusters = useMemo(() => (cluster === undefined ? [] : [cluster]), [cluster]);
  const views = useWatchEach<T>(clusters, groupVersion, resource, namespace);
  return (cluster === undefined ? undefined : views.get(cluster)) ?? kNothing;
}

const kNothing: WatchView<never> = { state: "loading", items: [] };

// The same of several clusters, by name. `clusters` must stay the same array while it has the same names.
export function useWatchEach<T extends KubeObject>(
  clusters: readonly string[],
  groupVersion: string,
  resource: string,
  namespace?: string,
): ReadonlyMap<string, WatchView<T>> {
  const [, redraw] = useState(0);
  const asked = useMemo(
    () => clusters.map((name) => ({ name, watch: watchOf<T>(resourcePath(name, groupVersion, resource, namespace)) })),
    [clusters, groupVersion, resource, namespace],
  );
  useEffect(() => {
    const ends = asked.flatMap(({ watch }) => [watch.view.subscribe(() => redraw((n) => n + 1)), watch.open()]);
    redraw((n) => n + 1);
    return () => ends.forEach((end) => end());
  }, [asked]);
  return new Map(asked.map(({ name, watch }) => [name, watch.view.get()]));
}

export function getObject<T extends KubeObject>(path: string): Promise<Outcome<T>> {
  return getJson<T>(path);
}

// What is to be written, from the object as it is now; undefined: nothing. A text: why not.
export type MakePatch<T> = (object: T) => object | undefined | string;

const kMostTries = 5; // while others write the same object

// A merge patch that holds only for the version that it was made from; a conflict is tried again from the start.
export async function patchObject<T extends KubeObject>(path: string, change: MakePatch<T>, subresource = ""): Promise<Outcome<T>> {
  for (let tries = 1; ; ++tries) {
    const read = await getObject<T>(path);
    if (!read.ok) return read;
    const patch = change(read.value);
    if (patch === undefined) return read;
    if (typeof patch === "string") return { ok: false, problem: { status: 409, message: patch } };
    const body = withVersion(patch, read.value.metadata.resourceVersion);
    const target = `${path}${subresource ? `/${subresource}` : ""}?fieldManager=fairway-console`;
    const written = await sendJson<T>("PATCH", target, body, { contentType: "application/merge-patch+json" });
    if (written.ok || written.problem.status !== 409 || tries === kMostTries) return written;
  }
}

export function withVersion(patch: object, resourceVersion: string | undefined): object {
  const { metadata, ...rest } = patch as { metadata?: object };
  return { ...rest, metadata: { ...metadata, resourceVersion } };
}

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

// Whose token it is: the session's, or the one that is given.
export async function fetchUserName(cluster: string, token?: string): Promise<Outcome<string>> {
  const answer = await sendJson<SelfSubjectReview>(
    "POST",
    resourcePath(cluster, "authentication.k8s.io/v1", "selfsubjectreviews"),
    { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    token === undefined ? {} : { token },
  );
  if (!answer.ok) return answer;
  return { ok: true, value: answer.value.status?.userInfo?.username ?? "" };
}
