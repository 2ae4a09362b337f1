// A command for a terminal, with a button that copies it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";

export function Command({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  const [said, setSaid] = useState("");
  const copy = () => {
    if (!("clipboard" in navigator)) {
      setSaid("This browser copies only over HTTPS: select the text instead.");
      return;
    }
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied."),
      () => setSaid("The browser did not allow it: select the text instead."),
    );
  };
  return (
    <div class="command">
      <div class="command-head">
        <span>{label}</span>
        <span role="status">{said}</span>
        <button type="button" class="small" onClick={copy} aria-label={`Copy the command: ${label}`}>
          Copy
        </button>
      </div>
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
