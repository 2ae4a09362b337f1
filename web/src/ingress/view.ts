// IngressController of operator.openshift.io/v1: scope, the change that waits, and the commands that its conditions tell. Pure.
import { type Condition, type KubeObject, findCondition, isTrue } from "../api/objects";
import type { Tone } from "../components/basic";

export const kIngress = { groupVersion: "operator.openshift.io/v1", resource: "ingresscontrollers" } as const;
export const kOperatorNamespace = "openshift-ingress-operator";
export const kOperandNamespace = "openshift-ingress";

interface Strategy {
  readonly type?: string;
  readonly loadBalancer?: { readonly scope?: string } | null;
}

export interface IngressController extends KubeObject {
  readonly spec?: { readonly domain?: string; readonly endpointPublishingStrategy?: Strategy };
  readonly status?: {
    readonly domain?: string;
    readonly availableReplicas?: number;
    readonly endpointPublishingStrategy?: Strategy;
    readonly conditions?: readonly Condition[];
  };
}

export interface RouterService extends KubeObject {
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly hostname?: string; readonly ip?: string }[] } };
}

export interface Command {
  readonly label: string;
  readonly text: string;
}

export interface PendingChange {
  readonly reason: string;
  readonly who: string; // who is at it
  readonly tone: Tone;
  readonly message: string;
  readonly cost: string;
  readonly commands: readonly Command[];
}

export interface IngressView {
  readonly name: string;
  readonly domain: string;
  readonly type: string;
  readonly scope: string; // that the load balancer has
  readonly wanted: string;
  readonly address: string;
  readonly isAvailable: boolean;
  readonly change?: PendingChange;
  readonly notes: readonly Condition[]; // other conditions worth knowing
}

export function serviceName(controller: string): string {
  return `router-${controller}`;
}

// What stands between backquotes, which is how the operator quotes commands.
export function commandsIn(message: string): readonly string[] {
  return [...message.matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? "").replace(/\s+/g, " ").trim());
}

const kScopeChanged = /scope was changed from "(\w+)" to "(\w+)"/;

// "from" is what serves as long as the change waits.
export function scopesIn(message: string): { readonly from: string; readonly to: string } | undefined {
  const match = kScopeChanged.exec(message);
  return match?.[1] && match[2] ? { from: match[1], to: match[2] } : undefined;
}

function labelled(text: string): Command {
  if (/ delete (svc|service)/.test(text)) return { label: "Make the change: delete the Service", text };
  if (/ patch ingresscontroller/.test(text)) return { label: "Take the wish back", text };
  return { label: "Command", text };
}

const kWho: Readonly<Record<string, { who: string; tone: Tone; cost: string }>> = {
  ScopeChanged: {
    who: "It waits for you",
    tone: "warn",
    cost: "A new Service and a new load balancer: no traffic from the deletion of the Service until the new load balancer is ready and DNS follows it, and another address.",
  },
  ScopeChangeInProgress: {
    who: "The cloud is at it",
    tone: "info",
    cost: "The Service and its load balancer stay; the address changes, and traffic is interrupted until DNS follows it.",
  },
  WaitingForServiceDeletion: { who: "A deletion is under way", tone: "info", cost: "No traffic until the new load balancer is ready and DNS follows it." },
  ScopeUnverified: { who: "An annotation was edited by hand", tone: "warn", cost: "None: the platform does not act upon it." },
};

function changeOf(controller: IngressController): PendingChange | undefined {
  const progressing = findCondition(controller.status?.conditions, "Progressing");
  const balancer = findCondition(controller.status?.conditions, "LoadBalancerProgressing");
  const found = [progressing, balancer].find((each) => each?.status === "True" && commandsIn(each.message ?? "").length > 0)
    ?? (progressing?.status === "True" ? progressing : undefined);
  if (!found) return undefined;
  const reason = found.reason ?? "";
  const message = found.message ?? "";
  const known = kWho[reason] ?? { who: "It is under way", tone: "info" as const, cost: "" };
  return { reason, message, who: known.who, tone: known.tone, cost: known.cost, commands: commandsIn(message).map(labelled) };
}

const kTold = new Set(["Available", "Progressing", "LoadBalancerProgressing", "Admitted", "Degraded"]);

// Conditions that are not as they should be, beside those that have a place of their own.
function notesOf(conditions: readonly Condition[] | undefined): readonly Condition[] {
  const isNews = (each: Condition) => {
    if (each.type === "EvaluationConditionsDetected") return each.status === "True";
    return each.status === "False" && ["ScopeSupported", "ScopeVerified", "Upgradeable", "LoadBalancerReady", "DNSReady"].includes(each.type);
  };
  const degraded = findCondition(conditions, "Degraded");
  const others = (conditions ?? []).filter((each) => !kTold.has(each.type) && isNews(each));
  return degraded?.status === "True" ? [degraded, ...others] : others;
}

export function viewOf(controller: IngressController, service: RouterService | undefined): IngressView {
  const strategy = controller.status?.endpointPublishingStrategy ?? controller.spec?.endpointPublishingStrategy;
  const type = strategy?.type ?? "";
  const isBalanced = type === "LoadBalancerService";
  const wanted = isBalanced ? (controller.spec?.endpointPublishingStrategy?.loadBalancer?.scope ?? strategy?.loadBalancer?.scope ?? "External") : "";
  const change = changeOf(controller);
  const ingress = service?.status?.loadBalancer?.ingress?.[0];
  return {
    name: controller.metadata.name,
    domain: controller.status?.domain ?? controller.spec?.domain ?? "",
    type,
    scope: isBalanced ? (scopesIn(change?.message ?? "")?.from ?? wanted) : "",
    wanted,
    address: ingress?.hostname ?? ingress?.ip ?? "",
    isAvailable: isTrue(controller.status?.conditions, "Available"),
    notes: notesOf(controller.status?.conditions),
    ...(change ? { change } : {}),
  };
}
