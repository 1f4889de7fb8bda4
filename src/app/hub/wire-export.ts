// Wires the exports of the history, which are loaded where hub.toml has some.
import { readFileSync } from "node:fs";
import type { History } from "../../house/history/history.ts";
import { passwordsOfDevice } from "../../house/state/passwords.ts";
import { type Exports, noExports } from "../../reach/export/running.ts";
import type { HubOptions } from "./options.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

export function wireExport(
  { config, home, platform, log, fence }: HubOptions,
  { db }: Pick<Stores, "db">,
  { history, registry, areas }: Pick<House, "history" | "registry" | "areas">,
): Exports {
  if (config.history.export.length === 0) return noExports;
  const { startExports } = require("../../reach/export/exports.ts") as typeof import("../../reach/export/exports.ts");
  const { openExportMemory } = require("../../reach/export/memory.ts") as typeof import("../../reach/export/memory.ts");
  return startExports({
    config: config.history.export,
    source: history,
    oldest: async () => (await history.kept()).first,
    memory: openExportMemory(db),
    device(id) {
      const device = registry.find(id);
      return (
        device && {
          ...{ area: device.area, areaName: areas.nameOf(device.area), plugin: device.pluginId },
          isPassword: (attribute) => passwordsOfDevice(device.details).includes(attribute),
        }
      );
    },
    ...{ clock: platform.clock, random: platform.random, fetch: platform.fetch },
    log: log.child("export"),
    resolve: home.resolve,
    fence,
  });
}

/** The history, together with what the export that is read from has of earlier times. */
export function readThroughArchive(
  { config, home, platform }: HubOptions,
  { history, renamed }: Pick<House, "history" | "renamed">,
  stack: AsyncDisposableStack,
): History {
  const entry = config.history.export.find(({ enabled, read }) => enabled && read);
  if (!entry) return history;
  const { openPostgresArchive } =
    require("../../reach/export/postgres-archive.ts") as typeof import("../../reach/export/postgres-archive.ts");
  const { archiveOfRenamed } =
    require("../../house/history/renamed-archive.ts") as typeof import("../../house/history/renamed-archive.ts");
  const { withArchive } = require("../../house/history/archive.ts") as typeof import("../../house/history/archive.ts");
  // A file that is missing is the export's own problem, which says so.
  const ca = entry.ca === undefined ? undefined : textOf(home.resolve(entry.ca));
  const archive = stack.use(openPostgresArchive(entry, ca, platform.clock));
  return { ...history, ...withArchive(history, archiveOfRenamed(archive, renamed.list), platform.clock) };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
