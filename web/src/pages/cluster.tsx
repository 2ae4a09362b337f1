import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function ClusterPage(_props: { readonly name: string }): JSX.Element {
  return (
    <Page title="Cluster">
      <Loading what="the page" />
    </Page>
  );
}
