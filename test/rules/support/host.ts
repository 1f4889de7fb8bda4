// A small house for rules: devices, variables and modes that a test sets, and a record of what rules did.
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { HubError } from "../../../src/kit/schema/errors.ts";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import type { HttpRequest, Notification, RuleDevice, RuleHost } from "../../../src/rules/model/host.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { createEventFeed, type Envelope } from "../../../src/server/events/feed.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

export interface House extends RuleHost {
  readonly clock: VirtualClock;
  /** Adds or changes a device. */
  put(id: string, device: Partial<Omit<RuleDevice, "id">>): void;
  remove(id: string): void;
  readonly variables: Map<string, Json>;
  readonly modes: Map<string, boolean>;
  readonly scenes: Set<string>;
  /** Hosts that answer a ping. */
  readonly reachable: Set<string>;
  /** Devices that refuse commands, with the error. */
  readonly refusing: Map<string, HubError>;
  /** Responses of services, the next one first; an error is thrown. */
  readonly answers: ({ status: number; body: string } | Error)[];
  readonly done: {
    commands: { at: number; device: string; command: JsonObject; actor: string }[];
    scenes: string[];
    /** Once for each of its channels. */
    notifications: (Omit<Notification, "channels"> & { channel: string })[];
    published: { topic: string; payload: string; retain: boolean; qos: number }[];
    requests: HttpRequest[];
    pings: string[];
    events: HubEvent[];
    /** To plugins. */
    notified: { eventType: string; fields: JsonObject }[];
  };
  /** The event as the feed emits it. */
  envelope(event: HubEvent): Envelope;
}

export interface HouseOptions {
  /** ISO time. */
  at?: string;
  timezone?: string;
  sun?: RuleHost["sun"];
}

export function createHouse({ at = "2026-01-15T12:00:00Z", timezone = "UTC", sun }: HouseOptions = {}): House {
  const clock = createVirtualClock(Date.parse(at));
  const feed = createEventFeed({ clock, log: silentLog, buffer: 10, mark: { load: () => 0, save() {} } });
  const devices = new Map<string, RuleDevice>();
  const variables = new Map<string, Json>();
  const modes = new Map<string, boolean>();
  const scenes = new Set<string>();
  const reachable = new Set<string>();
  const refusing = new Map<string, HubError>();
  const answers: House["answers"] = [];
  const done: House["done"] = {
    commands: [],
    scenes: [],
    notifications: [],
    published: [],
    requests: [],
    pings: [],
    events: [],
    notified: [],
  };

  function known(id: string): RuleDevice {
    const device = devices.get(id);
    if (!device) throw new HubError("not_found", `there is no device "${id}"`);
    return device;
  }

  return {
    clock,
    variables,
    modes,
    scenes,
    refusing,
    reachable,
    answers,
    done,
    put(id, device) {
      const before = devices.get(id) ?? { name: id, area: undefined, deviceType: undefined, tags: [], available: true };
      devices.set(id, { attributes: {}, lastChanged: {}, ...before, ...device, id });
    },
    remove: (id) => void devices.delete(id),
    device: (id) => devices.get(id),
    devices: () => devices.values(),
    variable: (name) => variables.get(name),
    setVariable: (name, value) => void variables.set(name, value),
    mode: (id) => modes.get(id),
    hasScene: (id) => scenes.has(id),
    hasArea: (id) => [...devices.values()].some(({ area }) => area === id),
    hasChannel: () => true,
    clearNotification: () => false,
    async command(id, command, actor) {
      const refusal = refusing.get(id);
      if (refusal) throw refusal;
      if (!modes.has(id)) known(id);
      done.commands.push({ at: clock.now(), device: id, command, actor: actor.name });
    },
    described: () => undefined,
    presentStates: (ids) => Object.fromEntries(ids.map((id) => [id, { ...known(id).attributes }])),
    async activateScene(id) {
      if (!scenes.has(id)) throw new HubError("not_found", `there is no scene "${id}"`);
      done.scenes.push(id);
    },
    async notify({ channels, ...notification }) {
      const broken = channels.filter((channel) => channel === "broken");
      for (const channel of channels.filter((each) => each !== "broken"))
        done.notifications.push({ channel, ...notification });
      if (broken.length > 0) throw new HubError("upstream_failed", "the channel does not answer");
      const undelivered = { why: "slow waits, because there is no network", waits: true };
      return channels.includes("slow") ? { undelivered, notes: [] } : { notes: [] };
    },
    async publish(topic, payload, options) {
      done.published.push({ topic, payload, ...options });
    },
    async ping(name) {
      done.pings.push(name);
      return reachable.has(name) ? { reachable: true, rttMs: 0.5 } : { reachable: false };
    },
    async request(request) {
      done.requests.push(request);
      const answer = answers.shift() ?? { status: 200, body: "" };
      if (answer instanceof Error) throw answer;
      return answer;
    },
    emit: (event) => void done.events.push(event),
    notifyPlugins: (eventType, fields) => void done.notified.push({ eventType, fields }),
    now: clock.now,
    random: () => 0.5,
    calendars: undefined,
    zone: createZone(timezone),
    sun,
    envelope(event) {
      let received: Envelope | undefined;
      using _listening = feed.on(event.type, "test", (envelope) => {
        received = envelope as Envelope;
      });
      feed.emit(event);
      if (!received) throw new Error("the feed emitted nothing");
      return received;
    },
  };
}
