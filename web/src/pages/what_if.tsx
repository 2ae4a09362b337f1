import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function WhatIfPage(): JSX.Element {
  return (
    <Page title="WhatIf">
      <Loading what="the page" />
    </Page>
  );
}
