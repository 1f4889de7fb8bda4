// All plugins: the programs that bring devices.
import { AdminPage, Entries, Entry, toSystem } from "../../parts/acting/entries.tsx";
import { PLUGIN_EVENTS, type Plugin } from "../../state/house/plugins.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { isTroubled, Notices, summaryOf } from "./plugin-status.tsx";

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
