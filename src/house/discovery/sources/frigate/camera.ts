// A camera of Frigate as a device: what it sees, its switches and its snapshots, from the topics below BASE/CAMERA and from the
// events about the objects that it tracks.
import { isObject, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, DescribedDevice, Message, Report } from "../../described.ts";
import { pictureAttributes } from "../../pictures.ts";
import { wrong } from "../../words.ts";

export interface FrigateCamera {
  /** `frigate`, or what its `topic_prefix` says. */
  base: string;
  name: string;
  /** Kinds of objects that were counted or seen: `person`, `car`, … */
  objects: ReadonlySet<string>;
}

/** Its `…/state` topics, which take ON and OFF on `…/set`. */
const SWITCHES = ["detect", "recordings", "snapshots", "motion", "enabled", "audio"] as const;
const ONLY_REPORTED = { readable: true, writable: false } as const;

const EVENT_ATTRIBUTES: readonly Attribute[] = [
  { name: "motion", type: "boolean", class: "motion", word: "motion", ...ONLY_REPORTED },
  { name: "event_active", type: "boolean", description: "Something is tracked now", ...ONLY_REPORTED },
  { name: "event_id", type: "string", category: "diagnostic", ...ONLY_REPORTED },
  { name: "event_label", type: "string", description: "What was tracked last", ...ONLY_REPORTED },
  { name: "event_sub_label", type: "string", description: "Who or which one it is", ...ONLY_REPORTED },
  { name: "event_zones", type: "array", description: "Where it is now", ...ONLY_REPORTED },
];

const switchName = (one: string): string => `${one}_on`;

export function describeCamera({ base, name, objects }: FrigateCamera): DescribedDevice {
  const identity = `${base.replaceAll("/", "_")}_${name}`;
  const own = `${base}/${name}`;
  const pictures = [
    {
      topic: `${own}/+/snapshot`,
      of: (topic: string) => topic.slice(own.length + 1).split("/", 1)[0] ?? "",
      shows: (payload: Uint8Array) => (payload.length === 0 ? undefined : { bytes: payload }),
    },
  ];
  return {
    ...{ identity, identities: [identity], name: name.replaceAll("_", " "), deviceType: "camera" },
    ...{ manufacturer: "Frigate", model: undefined, area: undefined, parent: undefined },
    attributes: [
      ...EVENT_ATTRIBUTES,
      ...SWITCHES.map(
        (one): Attribute => ({
          ...{ name: switchName(one), type: "boolean", category: "config", readable: true, writable: true },
          description: `Frigate's switch ${one}`,
        }),
      ),
      ...[...objects].map(
        (one): Attribute => ({
          ...{ name: one, type: "number", min: 0, description: "So many are seen" },
          ...ONLY_REPORTED,
        }),
      ),
      ...pictureAttributes(pictures),
    ],
    topics: [`${base}/available`, `${base}/events`, `${own}/+`, `${own}/+/state`, `${own}/+/snapshot`],
    pictures,
    read: (topic, message) => readMessage({ base, name, objects }, topic, message),
    write(wanted) {
      return Object.entries(wanted).map(([attribute, value]) => {
        const one = SWITCHES.find((each) => switchName(each) === attribute);
        if (!one) throw wrong(attribute, "the camera only reports it");
        if (typeof value !== "boolean") throw wrong(attribute, "must be true or false");
        return { topic: `${own}/${one}/set`, payload: value ? "ON" : "OFF", qos: 0, retain: false };
      });
    },
  };
}

const NOTHING: Report = { attributes: {}, actions: [] };
const says = (attributes: JsonObject): Report => ({ attributes, actions: [] });

function readMessage({ base, name, objects }: FrigateCamera, topic: string, { text, json }: Message): Report {
  if (topic === `${base}/available`) return { ...NOTHING, available: text.trim() === "online" };
  if (topic === `${base}/events`) return readEvent(name, json);
  const [what = "", last] = topic.slice(base.length + name.length + 2).split("/");
  const isOn = text === "ON" ? true : text === "OFF" ? false : undefined;
  if (last === "state") return isOn === undefined || !isSwitch(what) ? NOTHING : says({ [switchName(what)]: isOn });
  if (last !== undefined) return NOTHING;
  if (what === "motion") return isOn === undefined ? NOTHING : says({ motion: isOn });
  return objects.has(what) && typeof json === "number" ? says({ [what]: json }) : NOTHING;
}

const isSwitch = (text: string): boolean => (SWITCHES as readonly string[]).includes(text);

/** Each object that is tracked is one action, called as what it is: `person`. */
function readEvent(camera: string, json: unknown): Report {
  const event = eventIn(json);
  if (event?.camera !== camera) return NOTHING;
  const { id, label, zones, subLabel, type } = event;
  return {
    attributes: {
      ...{ event_id: id, event_label: label, event_sub_label: subLabel, event_zones: zones },
      event_active: type !== "end",
    },
    actions: type === "new" ? [label] : [],
  };
}

export interface FrigateEvent {
  type: "new" | "update" | "end";
  id: string;
  camera: string;
  label: string;
  subLabel: string | null;
  zones: string[];
}

/** A message of `BASE/events`; undefined for anything else. */
export function eventIn(json: unknown): FrigateEvent | undefined {
  if (!isObject(json) || !isObject(json.after)) return undefined;
  const { type, after } = json;
  const { id, camera, label, sub_label: sub, current_zones: zones } = after;
  if (type !== "new" && type !== "update" && type !== "end") return undefined;
  if (typeof id !== "string" || typeof camera !== "string" || typeof label !== "string") return undefined;
  // Newer ones say how sure they are beside it.
  const subLabel = Array.isArray(sub) ? sub[0] : sub;
  return {
    ...{ type, id, camera, label, subLabel: typeof subLabel === "string" ? subLabel : null },
    zones: Array.isArray(zones) ? zones.filter((one) => typeof one === "string") : [],
  };
}
