// One Homie device, described from what it says of itself.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, DescribedDevice, Outgoing, Report } from "../../described.ts";
import { wrong } from "../../words.ts";
import { type Channel, channelsOf } from "./channels.ts";
import type { HomieDescription } from "./description.ts";
import { asName, isOfLight } from "./senses.ts";

export interface HomieOptions {
  /** The levels before its id: `homie`, or of version 5 `homie/5`. */
  base: string;
  id: string;
  description: HomieDescription;
  /** Whether it is there, by its `$state` and that of the device that holds its connection. */
  isAvailable(): boolean | undefined;
  /** Topics that it has announced itself on, the one first without which it is none. */
  announcements(): readonly string[];
}

const MAX_ALERTS = 20;
const MAX_ALERT_LENGTH = 200;
const STATS: Readonly<Record<string, Pick<Attribute, "name"> & Partial<Attribute>>> = {
  battery: { name: "battery", unit: "%", class: "battery" },
  signal: { name: "signal", unit: "%" },
  supply: { name: "supply", unit: "V", class: "voltage" },
  cputemp: { name: "cputemp", unit: "°C", class: "temperature" },
  cpuload: { name: "cpuload", unit: "%" },
  freeheap: { name: "freeheap", unit: "B" },
};

// The same in every version, so that new firmware changes nothing.
const withoutVersion = (base: string): string => base.replace(/\/5$/, "");

/** What its id in the hub is made of. */
const identityOf = (base: string, id: string): string => `${withoutVersion(base)}_${id}`;

/** What it is known by: `c` below `a_b` is none of `b_c` below `a`. */
const identityIn = (base: string, id: string): string => `homie:${withoutVersion(base)}/${id}`;

export function describeHomie({ base, id, description, isAvailable, announcements }: HomieOptions): DescribedDevice {
  const { version, name, model, hardware, root, parent } = description;
  const own = `${base}/${id}`;
  const channels = channelsOf(description);
  const stats = statsOf(description, channels);
  const byTopic = Map.groupBy(channels, ({ place }) => `${own}/${place}`);
  const states = [`${own}/$state`, ...(root === undefined ? [] : [`${base}/${root}/$state`])];
  const alerts = new Map<string, string>();

  function readAlert(topic: string, text: string): Report {
    const alert = topic.slice(own.length + "/$alert/".length);
    alerts.delete(alert);
    if (text !== "" && alerts.size < MAX_ALERTS) alerts.set(alert, text.slice(0, MAX_ALERT_LENGTH));
    return { attributes: { device_alert: alerts.size === 0 ? null : [...alerts.values()].join("; ") }, actions: [] };
  }

  return {
    identity: identityOf(base, id),
    identities: [identityIn(base, id)],
    ...{ name: name ?? id, deviceType: typeOf(description, channels), manufacturer: undefined, model, area: undefined },
    hardware,
    parent: parent === undefined || parent === id ? undefined : identityIn(base, parent),
    attributes: [
      ...channels.flatMap(({ attribute, isState }) => (isState ? attribute : [])),
      ...stats.map(({ attribute }) => attribute),
      ...actionsOf(channels),
    ],
    topics: [
      ...states,
      ...byTopic.keys(),
      ...stats.map(({ topic }) => `${own}/${topic}`),
      ...(version === 5 ? [`${own}/$alert/+`] : []),
    ],
    read(topic, { text }): Report {
      if (states.includes(topic)) {
        const available = isAvailable();
        return { attributes: {}, actions: [], ...(available !== undefined && { available }) };
      }
      if (topic.startsWith(`${own}/$alert/`)) return readAlert(topic, text);
      const stat = stats.find((one) => topic === `${own}/${one.topic}`);
      if (stat)
        return {
          attributes: Number.isFinite(Number(text)) ? { [stat.attribute.name]: Number(text) } : {},
          actions: [],
        };
      return readValue(byTopic.get(topic) ?? [], text);
    },
    write: (wanted) => commandsFor(wanted, { own, channels }),
    forget: () =>
      [...announcements(), ...byTopic.keys()].map((topic) => ({ topic, payload: "", qos: 1, retain: true })),
  };
}

function readValue(channels: readonly Channel[], text: string): Report {
  const attributes: JsonObject = {};
  const actions: string[] = [];
  for (const { attribute, property, decode, isEvent, isState, place } of channels) {
    // A message of nothing takes the value away, except of texts, which may be empty before the fifth version.
    const value = text === "" && property.datatype !== "string" ? null : decode(text);
    if (value === undefined) continue;
    if (isState) attributes[attribute.name] = value;
    if (isEvent && value !== null && value !== "") actions.push(actionOf(place, value));
  }
  return { attributes, actions };
}

/** `button_press`, `remote_key_up`: of ids alone, so that it stays when something is added. */
function actionOf(place: string, value: Json): string {
  const [node = "", property = ""] = place.split("/").map(asName);
  const plain = node === property || /^(?:action|event|value|state)$/.test(property) ? node : `${node}_${property}`;
  if (value === true) return plain;
  return `${plain}_${value === false ? "off" : asName(String(value).slice(0, 60))}`;
}

function actionsOf(channels: readonly Channel[]): Attribute[] {
  const events = channels.filter(({ isEvent }) => isEvent);
  if (events.length === 0) return [];
  const options = events.flatMap(({ place, attribute: { type, options: values } }) =>
    type === "boolean"
      ? [actionOf(place, true), actionOf(place, false)]
      : (values?.map((one) => actionOf(place, one)) ?? [null]),
  );
  const all = options.includes(null) ? undefined : (options as string[]);
  return [
    {
      name: "action",
      ids: ["#action"],
      type: "string",
      ...(all && { options: [...new Set(all)] }),
      readable: true,
      writable: false,
    },
  ];
}

function statsOf({ stats }: HomieDescription, channels: readonly Channel[]): { topic: string; attribute: Attribute }[] {
  const taken = new Set(channels.map(({ attribute }) => attribute.name));
  return stats.flatMap((id) => {
    const known = STATS[id];
    if (!known) return [];
    const name = taken.has(known.name) ? `stats_${known.name}` : known.name;
    const fixed = { type: "number", category: "diagnostic", readable: true, writable: false } as const;
    return [{ topic: `$stats/${id}`, attribute: { ...known, ...fixed, name, ids: [`$stats/${id}`] } }];
  });
}

function typeOf({ nodes }: HomieDescription, channels: readonly Channel[]): string {
  const words = new Set(channels.flatMap(({ attribute }) => attribute.word ?? []));
  if (words.has("target_temperature")) return "climate";
  if (words.has("locked")) return "lock";
  const isLight = ["brightness_pct", "color_rgb", "color_temp_k"].some((one) => words.has(one));
  if (isLight || (words.has("on") && nodes.some(isOfLight))) return "light";
  if (words.has("on")) return "switch";
  const states = channels.filter(({ isState }) => isState);
  if (states.length === 0 && channels.length > 0) return "button";
  return states.length > 0 && states.every(({ attribute }) => attribute.type === "boolean")
    ? "binary_sensor"
    : "sensor";
}

function commandsFor(wanted: JsonObject, { own, channels }: { own: string; channels: readonly Channel[] }): Outgoing[] {
  return Object.entries(wanted).map(([name, value]) => {
    const channel = channels.find(({ attribute, isState }) => isState && attribute.name === name);
    if (!channel) throw wrong(name, "the device has no such attribute, or only reports it");
    if (!channel.property.settable) throw wrong(name, "the device only reports it");
    // What is not kept is for now: a command that comes late would be a second one.
    const qos = channel.property.retained ? 1 : 0;
    return { topic: `${own}/${channel.place}/set`, payload: channel.encode(value), qos, retain: false };
  });
}
