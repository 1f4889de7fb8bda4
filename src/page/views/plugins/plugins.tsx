// All plugins: the programs that bring devices.

import { formatBytes } from "../../model/text/formats.ts";
import { AdminPage, Entries, Entry, toSystem } from "../../parts/acting/entries.tsx";
import { PLUGIN_EVENTS, type Plugin } from "../../state/house/plugins.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatNumber, t, textFor } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";

export function Plugins() {
  const plugins = useHubData<Plugin[]>("/plugins", { after: PLUGIN_EVENTS });
  return (
    <AdminPage title={t("plugins.title")} back={toSystem()} may="viewer">
      <p>{t("plugins.about")}</p>
      <Entries of={plugins} label={t("plugins.title")} empty={t("plugins.none")}>
        {(plugin) => (
          <Entry
            key={plugin.id}
            bad={isTroubled(plugin)}
            name={<a href={`/plugins/${encodeURIComponent(plugin.id)}`}>{plugin.id}</a>}
            about={
              <>
                <p>{summaryOf(plugin)}</p>
                <Notices of={plugin} />
              </>
            }
          />
        )}
      </Entries>
      <p class="hint">{t("plugins.more")}</p>
    </AdminPage>
  );
}

// How a plugin is, in words: its status, what it notes, and how it ended last.
export function statusText({ status, enabled }: Pick<Plugin, "status" | "enabled">): string {
  return enabled || status !== "stopped" ? (textFor(`plugins.status_${status}`) ?? status) : t("plugins.disabled");
}

export function isTroubled({ status, notices }: Plugin): boolean {
  return status === "offline" || status === "degraded" || notices.some(({ level }) => level !== "info");
}

/** `running · 12 devices · 31 MB · restarted 2 times`. */
export function summaryOf(plugin: Plugin): string {
  return [
    statusText(plugin),
    plugin.version === null ? "" : t("plugins.version", { version: plugin.version }),
    t("plugins.devices", { count: formatNumber(plugin.devices) }),
    plugin.memory_bytes === null ? "" : formatBytes(plugin.memory_bytes),
    plugin.restarts > 0 ? t("plugins.restarts", { count: formatNumber(plugin.restarts) }) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

export function Notices({ of: { notices } }: { of: Plugin }) {
  return (
    <>
      {notices.map(({ level, code, message, remedy }) => (
        <p key={code + message} class={level === "info" ? "hint" : "problem"} dir="auto">
          {level !== "info" && <strong>{t(`plugins.level_${level}`)}: </strong>}
          {message} {remedy}
        </p>
      ))}
    </>
  );
}

export function LastExit({ of: { last_exit: exit } }: { of: Plugin }) {
  if (!exit) return null;
  const how = exit.signal ?? (exit.code === null ? "" : t("plugins.code", { code: exit.code }));
  return (
    <details>
      <summary>
        {t("plugins.last_exit")} <Moment at={exit.at} />
      </summary>
      <p dir="auto">
        {exit.reason} {how && `(${how})`}
      </p>
      {exit.output && exit.output.length > 0 && <pre class="code">{exit.output.join("\n")}</pre>}
    </details>
  );
}
