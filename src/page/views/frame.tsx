// What is around every view: where one can go, and whether what is shown is live.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { IconName } from "../model/device/icon-name.ts";
import { connection } from "../state/hub/live.ts";
import { isPartMissing } from "../state/hub/parts.ts";
import { isOutdated, reload } from "../state/hub/version.ts";
import { formatTime, t } from "../texts/index.ts";
import { Icon } from "../ui/icon.tsx";

const PLACES: readonly {
  path: string;
  icon: IconName;
  text: "nav.home" | "nav.rules" | "nav.activity" | "nav.more";
}[] = [
  { path: "/", icon: "house", text: "nav.home" },
  { path: "/rules", icon: "workflow", text: "nav.rules" },
  { path: "/activity", icon: "activity", text: "nav.activity" },
  { path: "/more", icon: "menu", text: "nav.more" },
];

export function Frame({ children }: { children: ComponentChildren }) {
  const { path, url } = useLocation();
  useViewTitle(url);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t("nav.skip")}
      </a>
      <nav class="rail" aria-label={t("app.title")}>
        {PLACES.map(({ path: to, icon, text }) => (
          <a key={to} href={to} aria-current={isAt(path, to) ? "page" : undefined}>
            <Icon name={icon} />
            <span>{t(text)}</span>
          </a>
        ))}
      </nav>
      <header class="top">
        <SearchLink />
        <Liveness />
      </header>
      <PageNotice />
      <main id="content" tabIndex={-1} data-live={connection.value.state}>
        <ViewBoundary path={path}>{children}</ViewBoundary>
      </main>
    </div>
  );
}

function isAt(path: string, place: string): boolean {
  return place === "/" ? path === "/" || path.startsWith("/devices") : path === place || path.startsWith(`${place}/`);
}

function Liveness() {
  const { value } = connection;
  const text =
    value.state === "offline" ? t("live.offline", { time: formatTime(value.since) }) : t(`live.${value.state}`);
  return (
    <p class={`liveness ${value.state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {text}
    </p>
  );
}

/** What there is to say about the page itself: a newer one, or a part of it that is missing. */
function PageNotice() {
  if (!isOutdated.value && !isPartMissing.value) return null;
  return (
    <div class="page-notice" role="status">
      <p>{t(isOutdated.value ? "page.outdated" : "page.part_missing")}</p>
      <button type="button" onClick={reload}>
        {t("page.reload")}
      </button>
    </div>
  );
}

/** Opens the search, from everywhere: a touch, or the key `/`. */
function SearchLink() {
  const { route } = useLocation();
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      route("/search");
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [route]);
  return (
    <a class="search-link" href="/search" aria-keyshortcuts="/">
      <Icon name="search" />
      <span>{t("search.title")}</span>
    </a>
  );
}

/** The editor of rules is in a shadow root: only the path says what the key is for. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

// A view that breaks on something nobody thought of breaks alone: the rest of the page stays, and so does the way out.
interface Props {
  /** Another view gets another chance. */
  path: string;
  children: ComponentChildren;
}

class ViewBoundary extends Component<Props, { broken: unknown }> {
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

// What the window is called, and where the focus is when another view has opened: neither stays behind with the former one.
/** `url`: of the view. The window is called after the heading of what is in `#content`. */
function useViewTitle(url: string): void {
  const former = useRef(url);
  const isNew = useRef(false);
  if (former.current !== url) {
    former.current = url;
    isNew.current = true;
  }
  useEffect(() => {
    const content = document.getElementById("content");
    if (!content) return;
    function follow(): void {
      const name = content?.querySelector("h1")?.textContent?.trim();
      const title = name ? `${name} – ${t("app.title")}` : t("app.title");
      if (document.title !== title) document.title = title;
      // What led here is gone with the former view.
      if (isNew.current && document.activeElement === document.body) content?.focus({ preventScroll: true });
    }
    function settle(): void {
      isNew.current = false;
    }
    follow();
    const observer = new MutationObserver(follow);
    observer.observe(content, { childList: true, subtree: true, characterData: true });
    document.addEventListener("focusin", settle);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", settle);
    };
  }, []);
}
