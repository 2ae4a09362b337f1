// Requests to our own origin, with the user's token. A failure is a value, never an exception.
import { currentToken, expire } from "../session";

export interface Problem {
  readonly status: number; // of HTTP; 0: no answer came
  readonly message: string;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

export function failed(status: number, message: string): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: { status, message } };
}

export interface RequestOptions {
  readonly method?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  readonly token?: string; // instead of the session's
}

// The response when the server agreed; its body has not been read.
export async function request(path: string, options: RequestOptions = {}): Promise<Outcome<Response>> {
  const token = options.token ?? currentToken();
  const headers = new Headers({ Accept: options.accept ?? "application/json" });
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (options.body !== undefined) headers.set("Content-Type", options.contentType ?? "application/json");
  let response: Response;
  try {
    response = await fetch(path, {
      method: options.method ?? "GET",
      headers,
      body: options.body ?? null,
      signal: options.signal ?? null,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
  } catch (error) {
    return failed(0, error instanceof DOMException && error.name === "AbortError" ? "stopped" : "the server does not answer");
  }
  if (response.ok) return { ok: true, value: response };
  if (response.status === 401 && token !== undefined) expire(token);
  return failed(response.status, await messageOf(response));
}

export async function getJson<T>(path: string, options: RequestOptions = {}): Promise<Outcome<T>> {
  const answer = await request(path, options);
  if (!answer.ok) return answer;
  try {
    return { ok: true, value: (await answer.value.json()) as T };
  } catch {
    return failed(0, "the server's answer broke off or is not JSON");
  }
}

export function sendJson<T>(method: string, path: string, body: unknown, options: RequestOptions = {}): Promise<Outcome<T>> {
  return getJson<T>(path, { ...options, method, body: JSON.stringify(body) });
}

// A Kubernetes Status, a problem of the update service ({"kind","value"}), or plain text.
async function messageOf(response: Response): Promise<string> {
  const fallback = `the server answered ${response.status}${response.statusText ? ` ${response.statusText}` : ""}`;
  let text: string;
  try {
    text = (await response.text()).trim();
  } catch {
    return fallback;
  }
  return messageIn(text) || fallback;
}

export function messageIn(text: string): string {
  if (!text.startsWith("{")) return text.length <= 500 ? text : "";
  try {
    const body = JSON.parse(text) as { message?: unknown; value?: unknown };
    for (const each of [body.message, body.value]) if (typeof each === "string" && each) return each;
  } catch {
    return "";
  }
  return "";
}

export function describe(problem: Problem): string {
  switch (problem.status) {
    case 401:
      return "Your token is not valid any more.";
    case 403:
      return `Your token may not do this: ${problem.message}`;
    default:
      return problem.message;
  }
}
