// The devices that one profile makes, each of the account that it was received from.
import { valueAtPointer } from "../../../../kit/schema/json-pointer.ts";
import type { Timer } from "../../../../kit/time/clock.ts";
import type { DescribedDevice } from "../../described.ts";
import type { Incoming, Sender, SourceHost } from "../../source.ts";
import { describeProfileDevice } from "./device.ts";
import type { Profile } from "./profile.ts";
import { type Occasion, variablesOf } from "./reading.ts";
import { fill, type Values } from "./topic-pattern.ts";

/** A device that is new, or reports on more topics than before. */
export interface Met {
  key: string;
  device: DescribedDevice;
}

const DEFAULT_DEVICES = 100;
/** What a profile makes may be announced as well, by a program that receives the same message: then it is called as it is there. */
const ANNOUNCED_WITHIN_MS = 5000;
const MAX_AWAITED_MESSAGES = 10;

export class Family {
  readonly #host: SourceHost;
  readonly #onMet: (incoming: Incoming, met: Met) => void;
  /** The last messages of what may be announced yet, by account and id. */
  readonly #awaited = new Map<string, Incoming[]>();
  #profile: Profile;
  /** By account and id. */
  readonly #members = new Map<string, Member>();
  /** By account and topic, where the topic is enough. */
  readonly #byTopic = new Map<string, Member>();

  /** `onMet`: as `meet` answers, of a message that came earlier. */
  constructor(host: SourceHost, profile: Profile, onMet: (incoming: Incoming, met: Met) => void) {
    this.#host = host;
    this.#onMet = onMet;
    this.#profile = profile;
  }

  get profile(): Profile {
    return this.#profile;
  }

  /** Another version of the profile. If that might make other devices, those it has made are no longer announced. */
  replace(profile: Profile): void {
    const isSame = identityOf(profile) === identityOf(this.#profile);
    this.#profile = profile;
    if (!isSame) this.clear();
    for (const member of this.#members.values()) member.describe(profile);
  }

  clear(): void {
    for (const member of this.#members.values()) member.withdraw();
    this.#members.clear();
    this.#byTopic.clear();
    this.#awaited.clear();
  }

  /** A message on a topic that makes devices. */
  meet(incoming: Incoming, { isLate = false } = {}): Met | undefined {
    const { sender, topic } = incoming;
    const place = `${sender.name}\n${topic}`;
    const settled = this.#byTopic.get(place);
    if (settled && this.#isStill(settled, topic)) return undefined;
    const found = identify(this.#profile, { topic, message: incoming.message() });
    if (!found) return undefined;
    const known = this.#members.get(`${sender.name}\n${found.id}`);
    if (!known && !isLate && this.#isAwaited(incoming, found)) return undefined;
    const member = known && this.#isStill(known, topic) ? known : this.#make(incoming, found);
    if (!member) return undefined;
    const device = member.seenOn(topic, found.parts);
    if (this.#profile.isTopicEnough && member.isSeenOn(topic)) this.#byTopic.set(place, member);
    return device && { key: member.key, device };
  }

  #isAwaited(incoming: Incoming, { id }: Identified): boolean {
    const { same_as: others, max_devices: most = DEFAULT_DEVICES } = this.#profile.table;
    const place = `${incoming.sender.name}\n${id}`;
    const before = this.#awaited.get(place);
    if (!others || this.#host.isKnown(id) || (!before && this.#awaited.size >= most)) return false;
    this.#awaited.set(place, [...(before ?? []), incoming].slice(-MAX_AWAITED_MESSAGES));
    if (!before) this.#host.clock.after("announcement of a device", ANNOUNCED_WITHIN_MS, () => this.#take(place));
    return true;
  }

  #take(place: string): void {
    const messages = this.#awaited.get(place) ?? [];
    this.#awaited.delete(place);
    for (const incoming of messages) {
      const met = this.meet(incoming, { isLate: true });
      if (met) this.#onMet(incoming, met);
      const key = met?.key ?? this.#members.get(place)?.key;
      if (key !== undefined) this.#host.receive(incoming.sender, key, incoming);
    }
  }

  /** A person may have removed it, or another source may describe it by now: a profile is for what announces nothing. */
  #isStill(member: Member, topic: string): boolean {
    const isElsewhere = this.#host.isRead(member.sender, topic);
    if (this.#host.knows(member.sender, member.key) && !isElsewhere) return true;
    member.withdraw();
    this.#members.delete(`${member.sender.name}\n${member.id}`);
    for (const [place, one] of this.#byTopic) if (one === member) this.#byTopic.delete(place);
    return false;
  }

  #make({ sender, topic }: Incoming, { id, parts }: Identified): Member | undefined {
    if (this.#host.isRead(sender, topic)) return undefined;
    const { table, name } = this.#profile;
    const { max_devices: most = DEFAULT_DEVICES } = table;
    if (this.#members.size >= most) {
      const mend = `raise max_devices in ${name}.toml, or write a topic or when that takes in less`;
      this.#host.broken(sender, name, `there are more than ${most} devices: ${mend}`);
      return undefined;
    }
    const made = new Member(this.#host, this.#profile, { sender, id, parts });
    this.#members.set(`${sender.name}\n${id}`, made);
    return made;
  }
}

function identityOf({ id, makers, table: { when, placeholders } }: Profile): string {
  return JSON.stringify([id, makers.map(({ text }) => text), when, placeholders]);
}

// A message need not hold everything, so one failure says little.
const FAILURES_THAT_COUNT = 5;
/** The topics that one device is seen on by wildcards. */
const MAX_TOPICS = 32;

class Member {
  readonly id: string;
  readonly key: string;
  readonly sender: Sender;
  readonly #host: SourceHost;
  readonly #parts: Values;
  /** The topics that make it, and what their placeholders stand for. */
  readonly #seenOn = new Map<string, Values>();
  #profile: Profile;
  #lastSeenMs: number;
  #silence: Timer | undefined;
  /** Attributes that have had a value. */
  readonly #worked = new Set<string>();
  readonly #failures = new Map<string, number>();

  constructor(host: SourceHost, profile: Profile, { sender, id, parts }: Identified & { sender: Sender }) {
    this.id = id;
    this.key = `${profile.name}/${id}`;
    this.sender = sender;
    this.#host = host;
    this.#parts = parts;
    this.#profile = profile;
    this.#lastSeenMs = host.clock.mono();
  }

  /** Described anew; undefined where it is known to be seen on the topic. */
  seenOn(topic: string, parts: Values): DescribedDevice | undefined {
    if (this.#seenOn.has(topic) || this.#seenOn.size >= MAX_TOPICS) return undefined;
    this.#seenOn.set(topic, parts);
    return this.describe(this.#profile);
  }

  isSeenOn(topic: string): boolean {
    return this.#seenOn.has(topic);
  }

  describe(profile: Profile): DescribedDevice {
    this.#profile = profile;
    this.#worked.clear();
    this.#failures.clear();
    const device = describeProfileDevice(
      profile,
      { id: this.id, parts: this.#parts, seenOn: this.#seenOn },
      {
        partsOf: (occasion) => {
          const parts = this.#own(occasion);
          if (parts) this.#seen();
          return parts;
        },
        onProblem: (attribute, problem) => this.#onProblem(attribute, problem),
      },
    );
    this.#host.describe(this.sender, this.key, device);
    this.#awaitSilence();
    return device;
  }

  withdraw(): void {
    this.#silence?.[Symbol.dispose]();
    this.#silence = undefined;
    this.#host.withdraw(this.sender, this.key);
  }

  #own(occasion: Omit<Occasion, "parts">): Values | undefined {
    const known = this.#seenOn.get(occasion.topic);
    if (known === undefined) return {};
    if (this.#profile.isTopicEnough) return isMeant(this.#profile, { ...occasion, parts: known }) ? known : undefined;
    const found = identify(this.#profile, occasion);
    return found?.id === this.id ? found.parts : undefined;
  }

  #seen(): void {
    this.#lastSeenMs = this.#host.clock.mono();
    if (!this.#silence) this.#awaitSilence();
  }

  #awaitSilence(): void {
    const seconds = this.#profile.table.availability?.silent_secs;
    this.#silence?.[Symbol.dispose]();
    this.#silence = seconds === undefined ? undefined : this.#wait(seconds * 1000);
  }

  /** One timer for many messages: when it is due, it looks when the last was seen. */
  #wait(silentMs: number): Timer {
    const { clock } = this.#host;
    const left = this.#lastSeenMs + silentMs - clock.mono();
    return clock.after(`profile: silence of ${this.key}`, left, () => {
      const isSilent = this.#lastSeenMs + silentMs <= clock.mono();
      this.#silence = isSilent ? undefined : this.#wait(silentMs);
      if (isSilent) this.#host.report(this.sender, this.key, { attributes: {}, actions: [], available: false });
    });
  }

  #onProblem(attribute: string, problem: string | undefined): void {
    if (this.#worked.has(attribute)) return;
    const failures = (this.#failures.get(attribute) ?? 0) + 1;
    if (problem === undefined) {
      this.#worked.add(attribute);
      if (failures > FAILURES_THAT_COUNT) this.#host.broken(this.sender, this.key, undefined);
      return;
    }
    this.#failures.set(attribute, failures);
    if (failures !== FAILURES_THAT_COUNT) return;
    const file = `${this.#profile.name}.toml`;
    this.#host.broken(this.sender, this.key, `${file}: attributes.${attribute}.cel gives no value: ${problem}`);
  }
}

interface Identified {
  id: string;
  parts: Values;
}

/** Undefined where the message is not meant, or lacks a part of the id. */
function identify(profile: Profile, occasion: Omit<Occasion, "parts">): Identified | undefined {
  const levels = occasion.topic.split("/");
  for (const pattern of profile.makers) {
    const values = pattern.match(levels);
    if (!values) continue;
    const parts = { ...values, ...partsOfMessage(profile, occasion) };
    const id = fill(profile.id, parts);
    return id !== undefined && isMeant(profile, { ...occasion, parts }) ? { id, parts } : undefined;
  }
  return undefined;
}

function isMeant({ table: { when }, expressions }: Profile, occasion: Occasion): boolean {
  if (when === undefined) return true;
  const result = expressions.reading(when).run(variablesOf(occasion));
  return result.ok && result.value === true;
}

const MAX_PART = 100;

function partsOfMessage({ table: { placeholders } }: Profile, { message: { json } }: Omit<Occasion, "parts">): Values {
  if (placeholders === undefined || json === undefined) return {};
  const parts: Record<string, string> = {};
  for (const [name, pointer] of Object.entries(placeholders)) {
    const value = valueAtPointer(json, pointer);
    const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
    if (text !== "" && text.length <= MAX_PART) parts[name] = text;
  }
  return parts;
}
