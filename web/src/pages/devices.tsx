import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function DevicesPage(_props: { readonly hub: string }): JSX.Element {
  return (
    <Page title="Devices">
      <Loading what="the page" />
    </Page>
  );
}
