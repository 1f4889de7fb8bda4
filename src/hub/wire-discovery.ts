// Wires the discovery of devices that announce themselves over MQTT.
import { timezoneOf } from "../config/location.ts";
import { createZone } from "../core/zone.ts";
import { createApproval } from "../discovery/approval.ts";
import { Discovery } from "../discovery/discovery.ts";
import { messageIn } from "../discovery/entry.ts";
import type { Heard } from "../discovery/source.ts";
import { sourcesOf } from "../discovery/sources/index.ts";
import { Profiles } from "../discovery/sources/profiles/profiles.ts";
import { openDiscoveryStore } from "../discovery/store.ts";
import type { OtherMessage } from "../mqtt/start.ts";
import { messageExpressions } from "../rules/expression/messages.ts";
import { type HubOptions, type Late, mqttOf } from "./options.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

/** A message as discovery takes it. `retain`: from the broker's memory, not live. */
export function heardIn({ account, topic, payload, mayPublish }: OtherMessage, { retain }: { retain: boolean }): Heard {
  return { sender: { name: account.name, mayPublish }, topic, payload, retain, message: messageIn(payload) };
}

/** The profiles of devices that announce nothing. They are read when they are started, which costs more than it may before the API answers. */
export function wireProfiles({ home, edge: { clock }, log }: HubOptions): Profiles {
  return new Profiles({ folder: home.profiles, clock, log: log.child("profiles"), compiler: messageExpressions });
}

/** It hears nothing before MQTT is up. */
export function wireDiscovery(
  { config, edge, log }: HubOptions,
  { db, feed }: Stores,
  { house, late, profiles }: { house: Pick<House, "registry" | "commandWatch">; late: Late; profiles: Profiles },
): Discovery {
  const { clock } = edge;
  const zone = createZone(timezoneOf(config.location));
  const store = openDiscoveryStore(db);
  const discovery = new Discovery({
    clock,
    log: log.child("discovery"),
    devices: house.registry,
    store,
    approval: createApproval(config.discovery, store),
    sources: sourcesOf(config.discovery, profiles),
    offsetMs: (at) => zone.at(at).offsetMs,
    onAction: (action) => feed.emit({ type: "device_action", ...action }),
    *retained(filter) {
      for (const message of late.mqtt?.retainedOthers(filter) ?? []) yield heardIn(message, { retain: true });
    },
    onRefused: house.commandWatch.refused,
    publish: async ({ topic, payload, qos, retain }) => mqttOf(late).publish(topic, payload, { qos, retain }),
  });
  house.registry.onRemoved("discovery", ({ id }) => discovery.removed(id));
  late.discovery = discovery;
  return discovery;
}
