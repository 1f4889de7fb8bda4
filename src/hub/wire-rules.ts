// Wires the rules: fills in src/rules/model/host.ts, through which rules see the house and act on it, from the other rooms.

import type { Calendars } from "../calendars/calendars.ts";
import { type LocationSection, timezoneOf } from "../config/location.ts";
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { WaitKept } from "../core/kept.ts";
import { background } from "../core/lifecycle.ts";
import { createSun } from "../core/sun.ts";
import { createZone } from "../core/zone.ts";
import type { EventFeed } from "../events/feed.ts";
import type { HouseEffects, HouseReads } from "../rules/model/host.ts";
import type { HouseNow } from "../rules/replay/house-now.ts";
import { replayWorker } from "../rules/replay/replay-thread.ts";
import { Rules } from "../rules/rules.ts";
import type { Areas } from "../state/areas.ts";
import { describedAttributes } from "../state/command-check.ts";
import type { Commands } from "../state/commands.ts";
import { createDeviceNames } from "../state/device-names.ts";
import type { Registry } from "../state/registry.ts";
import type { Scenes } from "../state/scenes.ts";
import type { Variables } from "../state/variables.ts";
import { createHttpRequest } from "./http-request.ts";
import type { Latencies } from "./latencies.ts";
import { type HubOptions, type Late, mqttOf } from "./options.ts";
import { ping } from "./ping.ts";
import { calendarsForRules } from "./wire-calendars.ts";
import type { House } from "./wire-house.ts";
import { messengerWithNotices, type WiredNotices } from "./wire-notices.ts";
import { type Notifications, notifyForRules } from "./wire-notify.ts";
import type { Stores } from "./wire-stores.ts";

interface Deps {
  house: House;
  notifications: Notifications;
  wiredNotices: WiredNotices;
  calendars: Calendars;
  onLoaded: () => void;
  late: Late;
  latencies: Latencies;
}

export function wireRules(
  { config, home, platform, log, build }: HubOptions,
  { db, feed, budget, limits }: Stores,
  { house, notifications, wiredNotices, calendars, late, latencies, onLoaded }: Deps,
): Rules {
  const { clock, notices, random } = platform;
  const reads = houseReads({
    ...house,
    ...{ clock, random, location: config.location },
    calendars: calendarsForRules(calendars),
    hasChannel: notifications.messenger.has,
  });
  const messenger = messengerWithNotices(notifications, wiredNotices);
  const request = createHttpRequest(platform);
  const waitKept: WaitKept = () => late.kept?.wait();
  const effects = houseEffects({
    ...house,
    feed,
    request: (asked, signal) => waitKept()?.then(() => request(asked, signal)) ?? request(asked, signal),
    publish: (topic, payload, how) => mqttOf(late).publish(topic, payload, how),
    notifyPlugins(eventType, fields) {
      // Where MQTT is off there are no plugins.
      if (late.mqtt) background(log, "a custom event for plugins", late.mqtt.event(eventType, fields));
    },
    notify: notifyForRules(messenger, clock),
    clearNotification: wiredNotices.notices.clear,
  });
  return new Rules({
    folder: home.rules,
    feed,
    clock,
    notices,
    log: log.child("rules"),
    random,
    host: { ...reads, ...effects },
    texts: notifications.notifier.texts,
    db,
    ...{ journal: house.journal, renamed: house.renamed, onLoaded },
    flushMs: config.storage.flush_secs * 1000,
    budget: budget.essential,
    config: config.rules,
    onDecided: latencies.decisions.observe,
    onRan: latencies.runs.observe,
    waitKept,
    limits,
    ...(build !== undefined && { readCache: { path: home.readRules, readBy: build } }),
    names: createDeviceNames(house.registry),
    needModes: (ids) => house.virtual.modes.need(ids),
    replays: {
      worker: replayWorker(),
      house: () => houseNow({ ...house, clock, location: config.location, calendars: reads.calendars }),
    },
  });
}

function houseNow(
  options: Pick<HouseReadsOptions, "registry" | "variables" | "clock" | "location" | "calendars">,
): HouseNow {
  const { registry, variables, clock, location, calendars } = options;
  const { latitude, longitude } = location;
  const devices = [...registry.list()].map((device) => {
    const { id, name, area, deviceType, tags, available, attributes, lastChanged, details } = device;
    return { id, name, area, deviceType, tags, available, attributes, lastChanged, details };
  });
  const ofCalendars = devices
    .filter(({ deviceType }) => deviceType === "calendar")
    .map(({ id }) => [id, calendars?.events(id) ?? []] as const);
  return {
    devices,
    variables: Object.fromEntries(variables.list().map(({ name, value }) => [name, value])),
    calendars: Object.fromEntries(ofCalendars),
    timezone: timezoneOf(location),
    place: latitude === undefined || longitude === undefined ? undefined : { latitude, longitude },
    now: clock.now(),
  };
}

type HouseReadsOptions = Pick<HouseReads, "calendars" | "hasChannel"> & {
  clock: Clock;
  random: RandomBytes;
  registry: Registry;
  areas: Pick<Areas, "has">;
  scenes: Scenes;
  variables: Variables;
  location: LocationSection;
};

function houseReads(options: HouseReadsOptions): HouseReads {
  const { clock, random, registry, areas, scenes, variables, location } = options;
  const { latitude, longitude } = location;
  return {
    device: (id) => registry.find(id),
    devices: () => registry.list(),
    described(id) {
      const device = registry.find(id);
      return device && describedAttributes(device.details);
    },
    presentStates: (deviceIds) => scenes.presentStates(deviceIds),
    variable: (name) => (variables.has(name) ? variables.get(name).value : undefined),
    mode(id) {
      const device = registry.find(id);
      return device?.deviceType === "mode" ? device.attributes.on === true : undefined;
    },
    hasScene: (id) => scenes.has(id),
    hasArea: (id) => areas.has(id),
    hasChannel: options.hasChannel,
    now: clock.now,
    random: () => new DataView(random(4).slice().buffer).getUint32(0) / 2 ** 32,
    zone: createZone(location.timezone),
    calendars: options.calendars,
    sun: latitude === undefined || longitude === undefined ? undefined : createSun({ latitude, longitude }),
  };
}

type HouseEffectsOptions = Pick<
  HouseEffects,
  "notify" | "clearNotification" | "publish" | "request" | "notifyPlugins"
> & {
  feed: Pick<EventFeed, "emit">;
  registry: Registry;
  scenes: Scenes;
  variables: Variables;
  commands: Commands;
};

function houseEffects(options: HouseEffectsOptions): HouseEffects {
  const { feed, registry, scenes, variables, commands } = options;
  return {
    setVariable: (name, value) => void variables.set(name, value, { deferred: true }),
    async command(deviceId, command, actor, { offline = "send" } = {}) {
      // Not left to `commands`, whose message mentions `?force=true`, which a rule cannot use.
      if (offline === "fail" && registry.find(deviceId)?.available === false)
        throw new HubError("conflict", `the device "${deviceId}" is not available`);
      await commands.send(deviceId, command, actor, { force: offline === "send" });
    },
    async activateScene(id, actor) {
      const { failed } = await scenes.activate(id, actor, { force: true });
      if (failed.length === 0) return;
      const failures = failed.map(({ device_id, error }) => `${device_id}: ${error}`).join("; ");
      throw new HubError("upstream_failed", `not every device took its command: ${failures}`);
    },
    notify: options.notify,
    clearNotification: options.clearNotification,
    publish: options.publish,
    request: options.request,
    ping,
    emit: feed.emit,
    notifyPlugins: options.notifyPlugins,
  };
}
