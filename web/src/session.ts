// The user's token: taken once from the address (#token=…), else from the sign-in page. It is kept for this tab
// only, and is all that the console may do: there is no other identity behind it.
import { Store } from "./store";

export type Session =
  | { readonly state: "signed-out" }
  | { readonly state: "expired" }
  | { readonly state: "signed-in"; readonly token: string };

const kKey = "fairway.token";

function remembered(): Session {
  const token = sessionStorage.getItem(kKey);
  return token ? { state: "signed-in", token } : { state: "signed-out" };
}

export const session = new Store<Session>({ state: "signed-out" });

export function signIn(token: string): void {
  sessionStorage.setItem(kKey, token);
  session.set({ state: "signed-in", token });
}

export function signOut(): void {
  sessionStorage.removeItem(kKey);
  session.set({ state: "signed-out" });
}

// A server refused the token. Only the one that was refused: an answer to an old request does not sign out a new one.
export function expire(token: string): void {
  const now = session.get();
  if (now.state !== "signed-in" || now.token !== token) return;
  sessionStorage.removeItem(kKey);
  session.set({ state: "expired" });
}

export function currentToken(): string | undefined {
  const now = session.get();
  return now.state === "signed-in" ? now.token : undefined;
}

// What `#token=…&to=/rollouts` says: the token, and the hash to be at afterwards; nothing when it holds no token.
export function tokenInHash(hash: string): { token: string; rest: string } | undefined {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const token = given.get("token");
  if (!token) return undefined;
  const to = given.get("to") ?? "";
  return { token, rest: to.startsWith("/") ? `#${to}` : "" };
}

// The token leaves the address, and the history, before anything else happens. True: there was one.
function takeTokenFromAddress(): boolean {
  const given = tokenInHash(location.hash);
  if (!given) return false;
  history.replaceState(null, "", `${location.pathname}${location.search}${given.rest}`);
  signIn(given.token);
  return true;
}

// Before the router: an address with a token may also be opened in a tab that is here already.
export function openSession(): void {
  addEventListener("hashchange", takeTokenFromAddress);
  if (!takeTokenFromAddress()) session.set(remembered());
}
