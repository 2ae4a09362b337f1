import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function RolloutPage(_props: { readonly hub: string; readonly namespace: string; readonly name: string }): JSX.Element {
  return (
    <Page title="Rollout">
      <Loading what="the page" />
    </Page>
  );
}
