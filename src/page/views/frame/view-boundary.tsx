// A view that breaks on something nobody thought of breaks alone: the rest of the page stays, and so does the way out.
import { Component, type ComponentChildren } from "preact";
import { t } from "../../texts/index.ts";

interface Props {
  /** Another view gets another chance. */
  path: string;
  children: ComponentChildren;
}

export class ViewBoundary extends Component<Props, { broken: unknown }> {
  override state = { broken: undefined };

  static override getDerivedStateFromError(broken: unknown) {
    return { broken };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override componentDidUpdate({ path }: Props): void {
    if (path !== this.props.path && this.state.broken !== undefined) this.setState({ broken: undefined });
  }

  override render({ children }: Props) {
    if (this.state.broken === undefined) return children;
    return (
      <>
        <h1>{t("page.broken")}</h1>
        <p class="problem" role="alert">
          {t("error.unknown")}
        </p>
      </>
    );
  }
}
