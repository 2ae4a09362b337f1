// Asks for the token. Nothing else of the console is there without one.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fetchUserName } from "../api/kube";
import type { Problem } from "../api/http";
import { Page, ProblemNote } from "../components/basic";
import { signIn } from "../session";

export function SignInPage({ hub, isExpired }: { readonly hub: string; readonly isExpired: boolean }): JSX.Element {
  const [token, setToken] = useState("");
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const submit = async (event: Event) => {
    event.preventDefault();
    const given = token.trim();
    if (!given || isAsking) return;
    setAsking(true);
    setProblem(undefined);
    const refused = await refusalOf(hub, given);
    setAsking(false);
    if (refused) setProblem(refused);
    else signIn(given);
  };

  return (
    <div class="sign-in">
      <Page title="Sign in">
        {isExpired && !problem && (
          <p class="note note-warn" role="alert">
            Your token has expired, or the server does not know it. Sign in again to go on where you were.
          </p>
        )}
        {problem && <ProblemNote title="That did not work" problem={problem} />}
        <p>The console does what your token may do, and nothing more. It is kept in this tab only.</p>
        <form onSubmit={(event) => void submit(event)}>
          <label for="token">Token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={token}
            aria-describedby="token-hint"
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <p id="token-hint" class="quiet">
            <code>fairway up</code> prints an address that holds one. For any other cluster: <code>kubectl create token NAME</code>.
          </p>
          <div>
            <button type="submit" class="primary" disabled={isAsking}>
              {isAsking ? "Signing in…" : "Sign in"}
            </button>
          </div>
        </form>
      </Page>
    </div>
  );
}

// Whether the hub takes the token: whose it is can be asked by everyone who has one, where the server knows the question.
async function refusalOf(hub: string, token: string): Promise<Problem | undefined> {
  const answer = await fetchUserName(hub, token);
  return answer.ok || answer.problem.status === 403 || answer.problem.status === 404 ? undefined : answer.problem;
}
