import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function ClustersPage(): JSX.Element {
  return (
    <Page title="Clusters">
      <Loading what="the page" />
    </Page>
  );
}
