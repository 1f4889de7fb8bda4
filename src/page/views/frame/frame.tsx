// What is around every view: where one can go, and whether what is shown is live.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import type { IconName } from "../../model/device/icon-name.ts";
import { connection } from "../../state/hub/live.ts";
import { formatTime, t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { PageNotice } from "./page-notice.tsx";
import { SearchLink } from "./search-link.tsx";
import { ViewBoundary } from "./view-boundary.tsx";
import { useViewTitle } from "./view-title.ts";

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
