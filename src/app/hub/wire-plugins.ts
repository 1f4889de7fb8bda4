// Wires the plugins, which are started last.
import type { Mqtt } from "../../reach/mqtt/start.ts";
import { formatTopic } from "../../reach/mqtt/topics.ts";
import { createConfinement } from "../../reach/plugins/confine/confinement.ts";
import { probeLandlock } from "../../reach/plugins/confine/landlock.ts";
import { probeNamespaces } from "../../reach/plugins/confine/namespaces.ts";
import { createProbe, type Probe } from "../../reach/plugins/confine/probe.ts";
import { reachable } from "../../reach/plugins/environment.ts";
import { createKnownPlugins } from "../../reach/plugins/external-plugin.ts";
import { keyOfPlugin } from "../../reach/plugins/storage.ts";
import { createPlugins, type Plugins } from "../../reach/plugins/supervisor.ts";
import type { UnusableEntry } from "../../reach/plugins/unusable-plugin.ts";
import { createMeta } from "../../server/db/meta.ts";
import type { Home } from "../../server/home/paths.ts";
import type { HubConfig } from "../config/sections.ts";
import type { ApiAddress, HubOptions } from "./options.ts";
import { faultsOf } from "./problems.ts";
import type { Port } from "./start/port.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

/** Starts none yet. */
export function wirePlugins(
  { config, home, platform, log, execPath, fence }: HubOptions,
  { auth, feed, db, limits, trouble }: Stores,
  { house, mqtt, api }: { house: Pick<House, "registry">; mqtt: Port<Mqtt>; api: Port<ApiAddress> },
): Plugins {
  return createPlugins({
    entries: config.plugins,
    unusable: unusablePlugins(config),
    home,
    execPath,
    env: platform.env,
    clock: platform.clock,
    log: log.child("plugins"),
    random: platform.random,
    emit: feed.emit,
    broker: () => mqtt.get(),
    ...(config.mqtt.mode === "external" && { cutOff: () => mqtt.now?.external?.state.kind !== "connected" }),
    accounts: {
      issue: (id, grant) => mqtt.get().accounts.issue(id, grant),
      revoke: (id) => mqtt.now?.accounts.revoke(id),
    },
    keys: {
      issue(id, role) {
        const { host, port, tls } = api.get();
        const token = auth.lend({ id: keyOfPlugin(id), name: `plugin ${id}`, role });
        return { url: `http${tls ? "s" : ""}://${reachable(host)}:${port}/api/v1`, token };
      },
      revoke: (id) => auth.takeBack(keyOfPlugin(id)),
    },
    channel: {
      send: async (id, command) => mqtt.get().manage(id, command),
      async clearEvents(pluginId, request) {
        const { prefix, publish } = mqtt.get();
        await publish(formatTopic(prefix, { kind: "request", pluginId, request }), "", { retain: true });
      },
    },
    devices: house.registry,
    known: createKnownPlugins(createMeta(db), log),
    limits,
    trouble,
    fence,
    landlock: probeLandlock,
    namespaces: probeNamespaces,
    secrets: secretsOf(config, home),
  });
}

/** Runs a program that nobody knows yet, confined as plugins are. */
export function wireProbe({ config, home, platform, log, execPath }: HubOptions): Probe {
  return createProbe(
    createConfinement({
      ...{ home, execPath, log: log.child("upgrade"), landlock: probeLandlock, namespaces: probeNamespaces },
      secrets: secretsOf(config, home),
      isRoot: process.getuid?.() === 0,
    }),
    platform.random,
  );
}

function secretsOf({ server, backup }: HubConfig, home: Home): string[] {
  return [server.tls_key, backup.directory, ...backup.targets.map(placeOf)].flatMap((path) =>
    path ? [home.resolve(path)] : [],
  );
}

function placeOf(target: HubConfig["backup"]["targets"][number]): string | undefined {
  if (target.type === "folder") return target.directory;
  return target.type === "sftp" ? target.key_file : undefined;
}

/** Each entry of [[plugins]] with problems once, under its id, or under its place in the file if it has none. */
function unusablePlugins(config: HubConfig): UnusableEntry[] {
  const wrong = new Map<string, UnusableEntry>();
  for (const { path, message, name } of faultsOf(config)) {
    const place = /^plugins\[\d+\]/.exec(path)?.[0];
    if (place === undefined) continue;
    const problem = [wrong.get(place)?.problem, `${path}: ${message}`].filter((text) => text !== undefined).join("; ");
    wrong.set(place, { id: name ?? place, problem });
  }
  return [...wrong.values()];
}
