// One plugin: how it is, what it can do, how it is configured, and what it writes.

import { useRoute } from "preact-iso";
import { formatBytes } from "../../model/text/formats.ts";
import { AdminPage, Facts } from "../../parts/acting/entries.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { ActButton } from "../../parts/acting/use-act.tsx";
import { type Capabilities, PLUGIN_EVENTS, type Plugin, pluginPath } from "../../state/house/plugins.ts";
import { post } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatNumber, t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";
import { PluginActions } from "./plugin-actions.tsx";
import { PluginConfig } from "./plugin-config.tsx";
import { PluginLog } from "./plugin-log.tsx";
import { LastExit, Notices, statusText } from "./plugins.tsx";

export function PluginView() {
  const id = useRoute().params.id ?? "";
  const { value: plugin, problem, read } = useHubData<Plugin>(pluginPath(id), { after: PLUGIN_EVENTS });
  const capabilities = useHubData<Capabilities>(`${pluginPath(id)}/capabilities`, { after: PLUGIN_EVENTS });
  return (
    <AdminPage title={id} back={{ href: "/plugins", text: t("plugins.title") }} may="viewer">
      <Problem of={problem} />
      {plugin && (
        <>
          <Notices of={plugin} />
          <About of={plugin} />
          {plugin.managed && allows("admin") && <Switches of={plugin} onDone={read} />}
          <LastExit of={plugin} />
          <PluginActions of={plugin} actions={capabilities.value?.actions ?? []} />
          {allows("admin") && (
            <>
              <PluginConfig key={plugin.status} of={plugin} schema={capabilities.value?.config_schema} />
              <PluginLog of={plugin} />
            </>
          )}
        </>
      )}
    </AdminPage>
  );
}

function About({ of: plugin }: { of: Plugin }) {
  const { memory_bytes: memory, last_heartbeat: lastSeen, held_by: holder, confined_detail: detail } = plugin;
  return (
    <Facts
      of={[
        [t("plugins.status"), <strong key="status">{statusText(plugin)}</strong>],
        [t("system.version"), plugin.version ?? t("system.unknown")],
        [t("system.devices"), formatNumber(plugin.devices)],
        ...(memory === null ? [] : [[t("system.memory"), formatBytes(memory)] as const]),
        ...(plugin.managed ? [[t("plugins.restarted"), formatNumber(plugin.restarts)] as const] : []),
        [t("plugins.heard"), lastSeen === null ? t("system.never") : <Moment key="heard" at={lastSeen} />],
        ...(holder === null ? [] : [[t(`plugins.held_${holder}`), detail] as const]),
      ]}
    />
  );
}

function Switches({ of: { id, status }, onDone }: { of: Plugin; onDone: () => Promise<void> }) {
  const act = (verb: string) => () => post(`${pluginPath(id)}/${verb}`).then(onDone);
  const isStopped = status === "stopped";
  return (
    <div class="buttons">
      {isStopped ? (
        <ActButton look="main" act={act("start")}>
          {t("plugins.start")}
        </ActButton>
      ) : (
        <>
          <ActButton act={act("restart")}>{t("plugins.restart")}</ActButton>
          <ActButton act={act("stop")}>{t("plugins.stop")}</ActButton>
        </>
      )}
    </div>
  );
}
