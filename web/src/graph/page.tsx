import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function GraphPage(): JSX.Element {
  return (
    <Page title="Graph">
      <Loading what="the graph" />
    </Page>
  );
}
