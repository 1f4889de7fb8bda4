// Wires the discovery of devices that announce themselves over MQTT.
import { createApproval } from "../../house/discovery/approval.ts";
import { Discovery } from "../../house/discovery/discovery.ts";
import { messageIn } from "../../house/discovery/entry.ts";
import type { HouseDevices } from "../../house/discovery/house-devices.ts";
import type { Incoming } from "../../house/discovery/source.ts";
import { sourcesOf } from "../../house/discovery/sources/index.ts";
import { Profiles } from "../../house/discovery/sources/profiles/profiles.ts";
import { type DiscoveryStore, openDiscoveryStore } from "../../house/discovery/store.ts";
import type { DevicePictures } from "../../house/pictures/pictures.ts";
import { noteUnavailable } from "../../house/state/unavailable.ts";
import { createZone } from "../../kit/time/zone.ts";
import { BROKER_ACCOUNT } from "../../reach/mqtt/external/broker-state.ts";
import type { Mqtt, OtherMessage } from "../../reach/mqtt/start.ts";
import { messageExpressions } from "../../rules/expression/messages.ts";
import type { HubOptions } from "./options.ts";
import type { Port } from "./start/port.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

/** A message as discovery takes it. `retain`: from the broker's memory, not live. */
export function incomingOf(
  { account, topic, payload, mayPublish }: OtherMessage,
  { retain }: { retain: boolean },
): Incoming {
  return { sender: { name: account.name, mayPublish }, topic, payload, retain, message: messageIn(payload) };
}

/** The profiles of devices that announce nothing. They are read when they are started, which costs more than it may before the API answers. */
export function wireProfiles({ home, platform, log, shippedProfiles }: HubOptions): Profiles {
  const { clock, notices } = platform;
  return new Profiles({
    ...{ folder: home.profiles, clock, notices },
    log: log.child("profiles"),
    compiler: messageExpressions,
    ...(shippedProfiles && { shipped: shippedProfiles }),
  });
}

/**
 * At an external broker nobody knows who announced a device: all are of one account, also those that had accounts of their own
 * when the broker was embedded. What that broker has kept of a device lasts.
 */
function ofOneBroker(registry: House["registry"], store: Pick<DiscoveryStore, "knows">): HouseDevices {
  return {
    register(registration, owner, from) {
      const id = registration.device_id;
      const before = registry.ownerOf(id);
      if (before !== undefined && before !== owner && store.knows(id)) registry.transferOwnership(id, owner);
      registry.register(registration, owner, { ...from, lasting: true });
    },
    schema: (...given) => registry.schema(...given),
    state: (id, attributes, from) => registry.state(id, attributes, { ...from, lasting: true }),
    availability: (id, available, owner, from) =>
      registry.availability(id, available, owner, { ...from, lasting: true }),
    ownerOf(id) {
      const owner = registry.ownerOf(id);
      return owner !== undefined && store.knows(id) ? BROKER_ACCOUNT : owner;
    },
    transferOwnership: (...given) => registry.transferOwnership(...given),
  };
}

/** It receives nothing before MQTT is up. */
export function wireDiscovery(
  { config, platform, log }: HubOptions,
  { db, feed, limits }: Stores,
  {
    house,
    pictures,
    mqtt,
    profiles,
  }: {
    house: Pick<House, "registry" | "commandWatch">;
    pictures: Pick<DevicePictures, "take">;
    mqtt: Port<Mqtt>;
    profiles: Profiles;
  },
): Discovery {
  const { clock } = platform;
  const zone = createZone(config.location.timezone);
  const store = openDiscoveryStore(db);
  const discovery = new Discovery({
    clock,
    log: log.child("discovery"),
    limits,
    readingMsPerSecond: config.discovery.max_reading_ms_per_second,
    devices: config.mqtt.mode === "external" ? ofOneBroker(house.registry, store) : house.registry,
    store,
    approval: createApproval(config.discovery, store),
    sources: sourcesOf(config.discovery, profiles),
    offsetMs: (at) => zone.at(at).offsetMs,
    onAction: (action) => feed.emit({ type: "device_action", ...action }),
    *retained(filter) {
      for (const message of mqtt.now?.retainedOthers(filter) ?? []) yield incomingOf(message, { retain: true });
    },
    onPicture: pictures.take,
    onUnavailable: (id, attributes) => noteUnavailable({ registry: house.registry, emit: feed.emit }, id, attributes),
    onRefused: house.commandWatch.refused,
    publish: async ({ topic, payload, qos, retain }) => mqtt.get().publish(topic, payload, { qos, retain }),
  });
  house.registry.onRemoved("discovery", ({ id }) => discovery.removed(id));
  return discovery;
}
