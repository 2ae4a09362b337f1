import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function RolloutsPage(_props: { readonly hub: string }): JSX.Element {
  return (
    <Page title="Rollouts">
      <Loading what="the page" />
    </Page>
  );
}
