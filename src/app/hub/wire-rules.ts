// Wires the rules: fills in src/rules/model/host.ts, through which rules see the house and act on it, from the other rooms.
import type { Calendars } from "../../house/calendars/calendars.ts";
import { describedAttributes } from "../../house/state/commands/command-check.ts";
import { createDeviceNames } from "../../house/state/device-names.ts";
import type { WaitKept } from "../../kit/lifecycle/kept.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { createSun } from "../../kit/time/sun.ts";
import { createZone } from "../../kit/time/zone.ts";
import type { HouseEffects, HouseReads, Ping, RuleCalendars, RuleHost } from "../../rules/model/host.ts";
import type { HouseNow } from "../../rules/replay/house-now.ts";
import { replayWorker } from "../../rules/replay/replay-thread.ts";
import { Rules } from "../../rules/rules.ts";
import { type LocationSection, timezoneOf } from "../config/location.ts";
import { createHttpRequest } from "./http-request.ts";
import type { Latencies } from "./latencies.ts";
import type { HubOptions } from "./options.ts";
import type { Ports } from "./start/ports.ts";
import { calendarsForRules } from "./wire-calendars.ts";
import type { House } from "./wire-house.ts";
import { postWithNotices } from "./wire-notices.ts";
import { notifyForRules } from "./wire-notify.ts";
import type { Stores } from "./wire-stores.ts";

/** Beyond what `ping` itself waits. */
const SPARE_MS = 2000;
const MAX_OUTPUT = 16_384;

interface Deps extends Pick<Ports, "mqtt" | "notify" | "notices" | "kept"> {
  house: House;
  calendars: Calendars;
  onLoaded: () => void;
  latencies: Latencies;
}

export function wireRules(
  { config, home, platform, log, build }: HubOptions,
  { db, feed, budget, limits }: Stores,
  { house, calendars, latencies, onLoaded, mqtt, notify, notices, kept }: Deps,
): Rules {
  const { clock, random } = platform;
  const request = createHttpRequest(platform);
  const waitKept: WaitKept = () => kept.now?.wait();
  const shown = calendarsForRules(calendars);
  const host: RuleHost = {
    ...houseReads(house, { clock, random, location: config.location }),
    calendars: shown,
    // Which channels there are is not known where they are off, so none counts as missing.
    hasChannel: (name) => notify.now?.messenger.has(name) ?? true,
    ...houseEffects(house),
    emit: feed.emit,
    ping,
    request: (asked, signal) => waitKept()?.then(() => request(asked, signal)) ?? request(asked, signal),
    publish: async (topic, payload, how) => mqtt.get().publish(topic, payload, how),
    notifyPlugins(eventType, fields) {
      // Where MQTT is off there are no plugins.
      if (mqtt.now) background(log, "a custom event for plugins", mqtt.now.event(eventType, fields));
    },
    notify: notifyForRules({ enqueue: postWithNotices({ notify, notices }) }, clock),
    clearNotification: (tag) => notices.get().notices.clear(tag),
  };
  return new Rules({
    folder: home.rules,
    feed,
    clock,
    notices: platform.notices,
    log: log.child("rules"),
    random,
    host,
    texts: notify.now?.notifier.texts,
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
      house: () => houseNow(house, { clock, location: config.location, calendars: shown }),
    },
  });
}

function houseNow(
  { registry, variables }: House,
  { clock, location, calendars }: { clock: Clock; location: LocationSection; calendars: RuleCalendars | undefined },
): HouseNow {
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

function houseReads(
  { registry, areas, scenes, variables }: House,
  { clock, random, location }: { clock: Clock; random: RandomBytes; location: LocationSection },
): Omit<HouseReads, "calendars" | "hasChannel"> {
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
    now: clock.now,
    random: () => new DataView(random(4).slice().buffer).getUint32(0) / 2 ** 32,
    zone: createZone(location.timezone),
    sun: latitude === undefined || longitude === undefined ? undefined : createSun({ latitude, longitude }),
  };
}

function houseEffects({
  registry,
  scenes,
  variables,
  commands,
}: House): Pick<HouseEffects, "setVariable" | "command" | "activateScene"> {
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
  };
}

/** ICMP echo requests of rules, by the system's own `ping`: raw sockets are for root alone. */
const ping: HouseEffects["ping"] = async (host, { count, timeoutMs }, signal) => {
  const secs = Math.max(1, Math.ceil(timeoutMs / 1000));
  try {
    const child = Bun.spawn(["ping", "-n", "-c", String(count), "-W", String(secs), host], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
      signal,
      timeout: count * 1000 + timeoutMs + SPARE_MS,
      killSignal: "SIGKILL",
    });
    const [output, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    return { reachable: code === 0, ...roundTrip(output.slice(0, MAX_OUTPUT)) };
  } catch {
    // There is no `ping` on this machine, or the run is over.
    return { reachable: false };
  }
};

/** `rtt min/avg/max/mdev = 0.031/0.042/0.051/0.008 ms`, and busybox's `round-trip min/avg/max = …`. */
function roundTrip(output: string): Pick<Ping, "rttMs"> {
  const mean = /(?:rtt|round-trip) [a-z/]+ = [0-9.]+\/([0-9.]+)\//.exec(output)?.[1];
  return mean === undefined ? {} : { rttMs: Number(mean) };
}
