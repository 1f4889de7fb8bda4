// Plugins that are down, and plugins in a crash loop.
import type { Clock } from "../../../kit/time/clock.ts";
import type { Finding, Watch } from "../alert.ts";

/** The fields of a plugin's record that this watch reads. */
export interface PluginState {
  id: string;
  status: string;
  enabled: boolean;
  restarts: number;
  last_exit: { reason: string } | null;
}

// A restart takes seconds: only a plugin that does not come back is reported.
const DOWN_AFTER_MS = 120_000;
const LOOP_WINDOW_MS = 600_000;
const LOOP_RESTARTS = 5;

export function pluginWatch(list: () => readonly PluginState[], clock: Clock): Watch {
  const downSince = new Map<string, number>();
  const restarts = new Map<string, { count: number; at: number[] }>();

  function restartsOf({ id, restarts: count }: PluginState, now: number): number {
    const seen = restarts.get(id) ?? { count, at: [] };
    const added = Math.max(0, Math.min(count - seen.count, LOOP_RESTARTS));
    const at = [...seen.at, ...Array.from({ length: added }, () => now)].filter((one) => now - one < LOOP_WINDOW_MS);
    restarts.set(id, { count, at });
    return at.length;
  }

  return {
    name: "plugins",
    check() {
      const now = clock.mono();
      const plugins = list();
      for (const id of [...downSince.keys(), ...restarts.keys()]) {
        if (plugins.some((plugin) => plugin.id === id)) continue;
        downSince.delete(id);
        restarts.delete(id);
      }
      return plugins.flatMap((plugin): Finding[] => {
        const { id, status, enabled, last_exit } = plugin;
        const reason = last_exit ? `: ${last_exit.reason}` : "";
        const mend = `Its last lines are at /api/v1/plugins/${id}/log.`;
        const said: Pick<Finding, "variant" | "values"> = last_exit
          ? { variant: "ended", values: { plugin: id, reason: last_exit.reason } }
          : { values: { plugin: id } };
        if (restartsOf(plugin, now) >= LOOP_RESTARTS)
          return [
            {
              kind: "plugin_crash_loop",
              about: id,
              severity: "warning",
              message: `The plugin ${id} ends again and again${reason}`,
              mend,
              ...said,
            },
          ];
        if (!enabled || status !== "offline") {
          downSince.delete(id);
          return [];
        }
        const since = downSince.get(id) ?? now;
        downSince.set(id, since);
        if (now - since < DOWN_AFTER_MS) return [];
        return [
          {
            kind: "plugin_down",
            about: id,
            severity: "warning",
            message: `The plugin ${id} is down${reason}`,
            mend,
            ...said,
          },
        ];
      });
    },
  };
}
