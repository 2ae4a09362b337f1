import type { Tone } from "../components/basic";
import type { Phase } from "./view";

export const kPhaseTones: Readonly<Record<Phase, Tone>> = {
  Preparing: "quiet",
  Rolling: "info",
  Paused: "warn",
  Succeeded: "good",
  Failed: "bad",
  Deleting: "warn",
};
