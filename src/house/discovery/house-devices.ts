// What discovery does to the devices of the house: each entry that has one registers it, and speaks for it.
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Attribute, DescribedDevice, PictureTopic, Report, Shown } from "./described.ts";
import type { Entry } from "./entry.ts";
import { MAX_BESIDE, PICTURE_AT, PICTURE_OF, picturesOn } from "./pictures.ts";
import { type ActionFields, actionFieldsOf, actionOf } from "./presses.ts";
import type { Incoming } from "./source.ts";
import type { DiscoveryStore } from "./store.ts";

/** The devices of the house, as far as discovery needs them. `retained`: known from before, and no sign of life. */
export interface HouseDevices {
  register(registration: JsonObject & { device_id: string }, owner: string, from: { retained: boolean }): void;
  schema(id: string, schema: JsonObject, owner: string): void;
  state(
    id: string,
    attributes: JsonObject,
    from: { pluginId: string; partial: boolean; retained: boolean; change?: JsonObject },
  ): void;
  availability(id: string, available: boolean, owner: string, from: { retained: boolean }): void;
  ownerOf(id: string): string | undefined;
  /** Another owner speaks for it from now on. */
  transferOwnership(id: string, owner: string): void;
}

export interface DeviceSpeakerOptions {
  devices: HouseDevices;
  /** The entry that has a device. */
  holderOf: (deviceId: string) => Entry | undefined;
  onAction: (action: { device_id: string } & ActionFields) => void;
  /** A message shows something. */
  onPicture: TakePicture;
  /** All attributes of a device that cannot be reached while it is there. */
  onUnavailable: (deviceId: string, attributes: readonly string[]) => void;
  log: Log;
  /** Messages that came before the device was described, or let in. */
  keptOn: (topic: string) => Iterable<Incoming>;
}

export interface ShownPicture {
  deviceId: string;
  of: string;
  shows: Shown;
  retained: boolean;
}

/** `came`: a new one is there, since this time in epoch ms, and what it is kept as. `problem`: why it is none; undefined once one is good again. */
export type TakePicture = (
  picture: ShownPicture,
  outcome: { came(at: number, of: string): void; problem(text: string | undefined): void },
) => void;

const OF_ITS_PICTURE = "its picture";

/** Marks the change of an attribute that an event `device_action` reports as well. */
const CHANGE = { kind: "device_action" };

export class DeviceSpeaker {
  readonly #options: DeviceSpeakerOptions;

  constructor(options: DeviceSpeakerOptions) {
    this.#options = options;
  }

  /** Throws HubError where it is refused: `forbidden` for a device of somebody else. */
  register(id: string, { device, sender }: Entry, { parent, retained }: { parent?: string; retained: boolean }): void {
    if (!device) return;
    const { devices } = this.#options;
    const { deviceType, name, area, manufacturer, model, hardware } = device;
    devices.register(
      {
        ...{ device_id: id, device_type: deviceType },
        ...(name !== undefined && { name }),
        ...(area !== undefined && { area }),
        ...(manufacturer !== undefined && { manufacturer }),
        ...(model !== undefined && { model }),
        ...hardware,
        ...(parent !== undefined && { parent_device_id: parent }),
      },
      sender.name,
      { retained },
    );
    devices.schema(id, schemaOf(device), sender.name);
  }

  /** Nothing where another entry has the device. */
  available(entry: Entry, available: boolean, retained = false): void {
    if (this.#holds(entry))
      this.#options.devices.availability(entry.deviceId, available, entry.sender.name, { retained });
  }

  take(entry: Entry | undefined, report: Report, { retain: retained }: { retain: boolean }): void {
    if (!entry || !this.#holds(entry)) return;
    const { devices, onAction } = this.#options;
    const { deviceId } = entry;
    const from = { pluginId: entry.sender.name, partial: true, retained };
    const last = report.actions.at(-1);
    const attributes = last === undefined ? report.attributes : withoutAction(report.attributes);
    if (Object.keys(attributes).length > 0) devices.state(deviceId, attributes, from);
    // A press of before the hub started is none now.
    if (last !== undefined && !retained) {
      // What a thermostat does may have had the name before its presses were announced.
      const isOther = entry.device?.attributes.some((one) => one.name === "action" && one.word === "action");
      devices.state(deviceId, { [isOther ? "action_event" : "action"]: actionOf(last) }, { ...from, change: CHANGE });
      for (const one of report.actions) onAction({ device_id: deviceId, ...actionFieldsOf(one) });
    }
    if (report.available !== undefined) this.available(entry, report.available, retained);
    if (report.unavailable) this.#options.onUnavailable(deviceId, report.unavailable);
  }

  /** What its announcement has no more has no value any more. */
  takenBack(id: string, { sender }: Entry, names: readonly string[]): void {
    const attributes = Object.fromEntries(names.map((name) => [name, null]));
    if (names.length > 0)
      this.#options.devices.state(id, attributes, { pluginId: sender.name, partial: true, retained: true });
  }

  /** A message on one of its topics. */
  receive(entry: Entry, incoming: Incoming, { retain }: { retain: boolean }): void {
    const { device } = entry;
    if (!device || !this.#holds(entry)) return;
    const pictures = picturesOn(incoming.topic, device);
    for (const one of pictures) this.#show(entry, one, { incoming, retain });
    if (pictures.length > 0 && incoming.payload.length > MAX_BESIDE) return;
    this.take(entry, device.read(incoming.topic, incoming.message()), { retain });
  }

  #show(
    entry: Entry & { deviceId: string },
    { of: named, shows: read }: PictureTopic,
    { incoming, retain }: { incoming: Incoming; retain: boolean },
  ): void {
    const { topic, payload, message } = incoming;
    const of = typeof named === "string" ? named : named(topic);
    const noteProblem = (text: string | undefined): void => this.#problem(entry, text);
    let shows: Shown | undefined;
    try {
      shows = read(payload, message);
    } catch (error) {
      noteProblem(`${OF_ITS_PICTURE} cannot be read: ${messageOf(error)}`);
    }
    if (!shows) return;
    this.#options.onPicture(
      { deviceId: entry.deviceId, of, shows, retained: retain },
      {
        came: (at, kind) => {
          const isOne = entry.described?.attributes.some(({ name }) => name === PICTURE_OF) === false;
          const attributes = { [PICTURE_AT]: new Date(at).toISOString(), ...(!isOne && { [PICTURE_OF]: kind }) };
          const report = { attributes, actions: [] };
          this.take(entry, entry.names?.given(report) ?? report, { retain });
        },
        problem: noteProblem,
      },
    );
  }

  /** Shown with its announcement until a picture is good again. */
  #problem(entry: Entry, text: string | undefined): void {
    if (entry.problem === text || (entry.problem !== undefined && !entry.problem.startsWith(OF_ITS_PICTURE))) return;
    entry.problem = text;
    if (text !== undefined) this.#options.log.warn("a camera's picture is left out", { id: entry.id, problem: text });
  }

  /** What it said before it was described. */
  receiveKept(entry: Entry): void {
    for (const topic of entry.device?.topics ?? []) {
      for (const incoming of this.#options.keptOn(topic)) {
        if (incoming.sender.name === entry.sender.name) this.receive(entry, incoming, { retain: true });
      }
    }
  }

  #holds(entry: Entry): entry is Entry & { deviceId: string } {
    return entry.deviceId !== undefined && this.#options.holderOf(entry.deviceId) === entry;
  }
}

function withoutAction({ action: _action, ...attributes }: JsonObject): JsonObject {
  return attributes;
}

/** The end of every problem that accepting the announcement solves. */
export const TAKE_IT = "accept this announcement to take it from there, or ignore it";

/** The better source of one account; of two accounts the first, unless a person accepted the second. */
export function hasPriority(entry: Entry, other: Entry, store: Pick<DiscoveryStore, "decision">): boolean {
  if (entry.sender.name === other.sender.name) return entry.rank < other.rank;
  return store.decision(entry.id) === "accepted" && store.decision(other.id) !== "accepted";
}

/** Whether the device was another account's before. Throws HubError `forbidden` where no person gave it away. */
export function claim(
  deviceId: string,
  { id, sender }: Entry,
  { devices, store }: { devices: HouseDevices; store: Pick<DiscoveryStore, "decision" | "knows"> },
): boolean {
  const owner = devices.ownerOf(deviceId);
  if (owner === undefined || owner === sender.name) return false;
  if (store.decision(id) !== "accepted" || !store.knows(deviceId))
    throw new HubError("forbidden", `the device "${deviceId}" belongs to ${owner}; ${TAKE_IT}`);
  devices.transferOwnership(deviceId, sender.name);
  return true;
}

function schemaOf({ attributes }: DescribedDevice): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(attributes.map((one) => [one.name, propertyOf(one)])),
    // A device may report more than it announced.
    additionalProperties: { readOnly: true },
  };
}

function propertyOf(attribute: Attribute): JsonObject {
  const { type, unit, min, max, step, options, description, category, readable, writable, derived, hidden } = attribute;
  const { inverted, part, of, word, reported, format, minLength, maxLength, pattern, precision, icon, title, accepts } =
    attribute;
  return {
    type,
    ...(options && { enum: [...options] }),
    ...(reported && reported.length > 0 && { reported: [...reported] }),
    ...(accepts && accepts.length > 0 && { accepts: [...accepts] }),
    ...(format !== undefined && { format }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(step !== undefined && { multipleOf: step }),
    ...(description !== undefined && { description }),
    ...(!writable && { readOnly: true }),
    ...(!readable && { writeOnly: true }),
    ...(unit !== undefined && { unit }),
    ...(precision !== undefined && { precision }),
    ...(attribute.stateClass !== undefined && { state_class: attribute.stateClass }),
    ...(icon !== undefined && { icon }),
    ...(title !== undefined && { title }),
    ...(category !== undefined && { category }),
    ...(attribute.class !== undefined && { class: attribute.class }),
    ...(inverted && { inverted: true }),
    ...(part !== undefined && { part }),
    ...(derived && { derived: true }),
    ...(of !== undefined && { of }),
    ...(word !== undefined && { word }),
    ...(hidden && { hidden: true }),
  };
}

const MAX_TOPICS = 1000;
const MAX_BYTES = 4096;

/** The last message on each topic of devices that wait for a person, so that they have values as soon as they are let in. */
export class WaitingMessages {
  readonly #last = new Map<string, Incoming | undefined>();

  expect({ topics }: DescribedDevice): void {
    for (const topic of topics)
      if (this.#last.size < MAX_TOPICS && !this.#last.has(topic)) this.#last.set(topic, undefined);
  }

  receive(incoming: Incoming): void {
    if (this.#last.has(incoming.topic) && incoming.payload.length <= MAX_BYTES)
      this.#last.set(incoming.topic, incoming);
  }

  of(topic: string): Incoming[] {
    const incoming = this.#last.get(topic);
    return incoming ? [incoming] : [];
  }

  forget({ topics }: DescribedDevice): void {
    for (const topic of topics) this.#last.delete(topic);
  }
}
