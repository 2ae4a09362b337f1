import type { JSX } from "preact";
import { Loading, Page } from "../components/basic";

export function IngressPage(): JSX.Element {
  return (
    <Page title="Ingress">
      <Loading what="the page" />
    </Page>
  );
}
