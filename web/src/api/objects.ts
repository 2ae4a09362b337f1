// Kubernetes objects as the pages know them, and the collection that a list and its watch keep up to date. Pure.

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
}

export interface Condition {
  readonly type: string;
  readonly status: string; // "True", "False", "Unknown"
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((each) => each.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject & { readonly code?: number; readonly message?: string };
}

// What became of an event: the collection changed or not, or the watch has to begin anew.
export type Taken = "changed" | "unchanged" | "gone" | "refused";

export class Collection<T extends KubeObject> {
  private readonly objects = new Map<string, T>();
  private version = "";
  private sorted: readonly T[] | undefined = [];

  get resourceVersion(): string {
    return this.version;
  }

  replace(items: readonly T[], resourceVersion: string): void {
    this.objects.clear();
    for (const each of items) this.objects.set(keyOf(each), each);
    this.version = resourceVersion;
    this.sorted = undefined;
  }

  // After it, a watch begins with a list.
  forget(): void {
    this.version = "";
  }

  take(event: WatchEvent): Taken {
    if (event.type === "ERROR") {
      this.forget();
      return event.object.code === 410 ? "gone" : "refused";
    }
    this.version = event.object.metadata.resourceVersion ?? this.version;
    if (event.type === "BOOKMARK") return "unchanged";
    const key = keyOf(event.object);
    if (event.type === "DELETED") this.objects.delete(key);
    else this.objects.set(key, event.object as unknown as T);
    this.sorted = undefined;
    return "changed";
  }

  // By namespace and name; the same array until something changes.
  items(): readonly T[] {
    this.sorted ??= [...this.objects.values()].sort((a, b) => compareText(keyOf(a), keyOf(b)));
    return this.sorted;
  }
}

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

// member2 before member10.
export function compareText(a: string, b: string): number {
  return collator.compare(a, b);
}
const collator = new Intl.Collator("en", { numeric: true });

// The path of a resource of a cluster behind the console: groupVersion "v1" or "apps/v1".
export function resourcePath(cluster: string, groupVersion: string, resource: string, namespace?: string, name?: string): string {
  const parts = [
    groupVersion.includes("/") ? "apis" : "api",
    ...groupVersion.split("/"),
    ...(namespace ? ["namespaces", namespace] : []),
    resource,
    ...(name ? [name] : []),
  ];
  return `/clusters/${encodeURIComponent(cluster)}/${parts.map(encodeURIComponent).join("/")}`;
}
