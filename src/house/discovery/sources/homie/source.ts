// The Homie convention, versions 3 to 5: `homie/DEVICE/$homie`, `…/$nodes`, … of the third and fourth, `homie/5/DEVICE/$description` of
// the fifth, all retained and in any order; without its `$state` a device is none.
import { messageOf } from "../../../../kit/schema/errors.ts";
import type { Json } from "../../../../kit/schema/json.ts";
import type { Timer } from "../../../../kit/time/clock.ts";
import type { Message } from "../../described.ts";
import type { Incoming, Sender, Source, SourceHost } from "../../source.ts";
import { type HomieDescription, ID_RULE, isHomieId, quoted } from "./description.ts";
import { describeHomie } from "./device.ts";
import { describedInJson, MAX_DESCRIPTION_BYTES } from "./json-description.ts";
import { describedInTopics } from "./topics-description.ts";

/** One device as its account has announced it so far. */
interface Known {
  sender: Sender;
  base: string;
  id: string;
  isFifth: boolean;
  state: string | undefined;
  /** Of versions 3 and 4: by the topic below its own. */
  said: Map<string, string>;
  saidBytes: number;
  /** It said more than is kept: what is missing is not the device's fault. */
  isCut: boolean;
  /** Of version 5; undefined where there is none. */
  json: Json | undefined;
  hasJson: boolean;
  /** Of its text, and of that which it was described by last. */
  hash: number | bigint | undefined;
  describedHash: number | bigint | undefined;
  /** When it was described last, in monotonic ms. */
  describedAt: number;
  /** Topics that are read since it is described; what comes on others waits. */
  topics: ReadonlySet<string>;
  waiting: Map<string, Message>;
  quiet: Timer | undefined;
  isDescribed: boolean;
}

const MAX_DEVICES = 500;
const MAX_SAID = 12_000;
const MAX_SAID_BYTES = 1_048_576;
const CUT = `it says more of itself than ${MAX_SAID} topics or ${MAX_SAID_BYTES} bytes`;
const MAX_TEXT_BYTES = 65_536;
const MAX_WAITING = 1000;
const MAX_WAITING_BYTES = 4096;
// The many topics of a device have come by then, in whatever order.
const QUIET_MS = 1000;
const AVAILABLE: Readonly<Record<string, boolean>> = {
  ...{ ready: true, alert: true, sleeping: true },
  ...{ disconnected: false, lost: false },
};
/** Of those that are said while it runs, and of what nobody needs. */
const NEWS = /^\$(?:stats\/(?:uptime|interval|lastupdate)|log\/|broadcast|implementation\/|alert\/)|\/\$target$/;

/** `pattern`: the levels before a device's id, `+` for any one. */
export function createHomieSource(host: SourceHost, pattern: string): Source {
  const accounts = new Map<string, Map<string, Known>>();
  const levels = pattern.split("/");

  const knownBy = ({ name }: Sender): Map<string, Known> => {
    const known = accounts.get(name) ?? new Map<string, Known>();
    accounts.set(name, known);
    return known;
  };

  /** The begin of its topics, and what is below. */
  function placeOf(topic: string): { base: string; id: string; isFifth: boolean; below: string } | undefined {
    const parts = topic.split("/");
    if (levels.some((level, at) => level !== "+" && level !== parts[at])) return undefined;
    const isFifth = parts[levels.length] === "5";
    const depth = levels.length + Number(isFifth);
    const [id, ...below] = parts.slice(depth);
    if (id === undefined || id.startsWith("$") || below.length === 0) return undefined;
    return { base: parts.slice(0, depth).join("/"), id, isFifth, below: below.join("/") };
  }

  function make(incoming: Incoming, place: NonNullable<ReturnType<typeof placeOf>>): Known | undefined {
    const { sender } = incoming;
    const { base, id, isFifth, below } = place;
    const all = knownBy(sender);
    const known = all.get(`${base}/${id}`);
    if (known || incoming.payload.length === 0) return known;
    // What only looks like it makes no room for itself; `$homie` of another version says why it is not taken.
    const isSure = isFifth ? below === "$state" || below === "$description" : below === "$homie";
    if (!isHomieId(id)) {
      if (isSure) host.broken(sender, "id", `the device ${quoted(id)} has no valid id: ${ID_RULE}`);
      return undefined;
    }
    if (all.size >= MAX_DEVICES && !forgetUnsure(all)) {
      host.broken(
        sender,
        "more",
        `one account may announce ${MAX_DEVICES} devices: give others an account of their own`,
      );
      return undefined;
    }
    const none = { state: undefined, json: undefined, hasJson: false, quiet: undefined, isDescribed: false };
    const never = { hash: undefined, describedHash: undefined, describedAt: Number.NEGATIVE_INFINITY };
    const made = {
      ...{ sender, base, id, isFifth, ...none, ...never, saidBytes: 0, isCut: false },
      said: new Map(),
      topics: new Set<string>(),
      waiting: new Map(),
    };
    all.set(`${base}/${id}`, made);
    return made;
  }

  function takeAttribute(known: Known, below: string, { payload, message }: Incoming): void {
    if (below === "$state") takeState(known, payload.length > 20 ? "" : message().text);
    else if (known.isFifth) {
      if (below !== "$description") return;
      const hash = Bun.hash(payload);
      // Said again, as after it was away.
      if (known.isDescribed && hash === known.describedHash) return;
      known.hash = hash;
      known.hasJson = payload.length > 0;
      known.json = payload.length > MAX_DESCRIPTION_BYTES ? undefined : message().json;
      later(known);
    } else if (payload.length > MAX_TEXT_BYTES)
      host.broken(
        known.sender,
        keyOf(known),
        `${below.slice(0, 200)}: must be a text of at most ${MAX_TEXT_BYTES} bytes`,
      );
    else if (!NEWS.test(below) && keep(known, below, message().text)) later(known);
  }

  /** Whether it is news. An empty text of the first three takes the device back; else it is an empty text. */
  function keep(known: Known, below: string, text: string): boolean {
    const { said } = known;
    const before = said.get(below);
    // Numbers of the device's own change all the time.
    const kept = below.startsWith("$stats/") ? "1" : text;
    if (before === kept) return false;
    if (text === "" && (below === "$homie" || below === "$nodes")) {
      said.delete(below);
      takeBack(known);
      return false;
    }
    known.saidBytes += kept.length - (before?.length ?? 0);
    if ((before === undefined && said.size >= MAX_SAID) || known.saidBytes > MAX_SAID_BYTES) {
      known.saidBytes -= kept.length - (before?.length ?? 0);
      known.isCut = true;
      host.broken(known.sender, keyOf(known), CUT);
      return false;
    }
    said.set(below, kept);
    return true;
  }

  function takeState(known: Known, text: string): void {
    const before = known.state;
    known.state = text === "" ? undefined : text;
    if (known.state === undefined) takeBack(known);
    else if (before === undefined || (!known.isDescribed && text !== before)) later(known);
    else if (before === "init" && text !== "init" && known.isFifth && known.hash !== known.describedHash) later(known);
  }

  function takeBack(known: Known): void {
    known.quiet?.[Symbol.dispose]();
    Object.assign(known, {
      quiet: undefined,
      isDescribed: false,
      isCut: false,
      describedHash: undefined,
      topics: new Set(),
    });
    known.waiting.clear();
    host.withdraw(known.sender, keyOf(known));
    host.broken(known.sender, keyOf(known), undefined);
    if (known.state === undefined && !known.said.has("$homie") && !known.hasJson)
      knownBy(known.sender).delete(`${known.base}/${known.id}`);
  }

  /** Once no more has come for a while; the fifth version says all at once, but not each moment anew. */
  function later(known: Known): void {
    const wait = known.isFifth ? known.describedAt + QUIET_MS - host.clock.mono() : QUIET_MS;
    if (known.isFifth && known.quiet) return;
    known.quiet?.[Symbol.dispose]();
    if (wait <= 0) {
      consider(known);
      return;
    }
    known.quiet = host.clock.after("homie device", wait, () => {
      known.quiet = undefined;
      consider(known);
    });
  }

  function consider(known: Known): void {
    const { sender, state, isFifth } = known;
    // While it says `init` it is still being described.
    if (state === undefined || state === "init") return;
    const description = isFifth
      ? known.hasJson
        ? describedInJson(known.json)
        : undefined
      : describedInTopics(known.said);
    if (!description) return;
    Object.assign(known, { describedHash: known.hash, describedAt: host.clock.mono() });
    const isNothing = description.nodes.every(({ properties }) => properties.length === 0) && !description.hasChildren;
    const [found] = description.problems;
    const problem = known.isCut ? CUT : found;
    const more =
      !known.isCut && description.problems.length > 1 ? `, and ${description.problems.length - 1} more like it` : "";
    if (!isNothing) describe(known, description);
    if (problem !== undefined) host.broken(sender, keyOf(known), problem + more);
  }

  function describe(known: Known, description: HomieDescription): void {
    const { sender, base, id } = known;
    const [all, key] = [knownBy(sender), keyOf(known)];
    // New firmware of the same device speaks the fifth version; what it said in the fourth is still kept.
    if (!known.isFifth && all.get(`${base}/5/${id}`)?.isDescribed) return;
    const older = known.isFifth ? all.get(key.replace(/\/5\/([^/]+)$/, "/$1")) : undefined;
    if (older?.isDescribed) takeBack(older);
    const isAvailable = (): boolean | undefined => availabilityOf(known, description.root);
    try {
      const announcements = (): string[] => [
        `${key}/$state`,
        ...(known.isFifth ? [`${key}/$description`] : [...known.said.keys()].map((below) => `${key}/${below}`)),
      ];
      const device = describeHomie({ base, id, description, isAvailable, announcements });
      const foreign = device.topics.find(
        (one) => one.startsWith(`${key}/`) && !one.endsWith("+") && !sender.mayPublish(one),
      );
      if (foreign !== undefined)
        throw new Error(`${sender.name} announces the topic ${foreign}, which it may not publish to itself`);
      host.describe(sender, key, device);
      host.broken(sender, key, undefined);
      Object.assign(known, { isDescribed: true, topics: new Set(device.topics) });
      for (const [topic, message] of known.waiting)
        if (known.topics.has(topic)) host.report(sender, key, { ...device.read(topic, message), actions: [] });
      known.waiting.clear();
      const available = isAvailable();
      if (available !== undefined) host.report(sender, key, { attributes: {}, actions: [], available });
    } catch (error) {
      host.broken(sender, key, messageOf(error));
    }
  }

  /** Undefined while it says nothing of the kind, such as `init`. A lost root has lost all behind it. */
  function availabilityOf({ sender, base, state }: Known, root: string | undefined): boolean | undefined {
    const above = root === undefined ? undefined : knownBy(sender).get(`${base}/${root}`)?.state;
    return above === "lost" ? false : Object.hasOwn(AVAILABLE, state ?? "") ? AVAILABLE[state ?? ""] : undefined;
  }

  function rememberValue(known: Known, { topic, payload, message }: Incoming): void {
    if (known.topics.has(topic)) return;
    known.waiting.delete(topic);
    if (payload.length <= MAX_WAITING_BYTES && known.waiting.size < MAX_WAITING) known.waiting.set(topic, message());
  }

  return {
    name: "homie",
    receive(incoming) {
      const { topic, sender } = incoming;
      if (topic.includes("/$")) {
        const place = placeOf(topic);
        const known = place && make(incoming, place);
        if (!place || !known) return false;
        takeAttribute(known, place.below, incoming);
        // Read like values, so that one that flaps costs no more than one that measures.
        return !/^\$(?:state$|stats\/|alert\/)/.test(place.below) && known.isDescribed;
      }
      const all = accounts.get(sender.name);
      const end = all ? topic.lastIndexOf("/", topic.lastIndexOf("/") - 1) : 0;
      const known = end > 0 ? all?.get(topic.slice(0, end)) : undefined;
      if (known) rememberValue(known, incoming);
      return false;
    },
  };
}

const keyOf = ({ base, id }: Known): string => `${base}/${id}`;

/** Makes room by what has never said that it is a Homie device. */
function forgetUnsure(all: Map<string, Known>): boolean {
  for (const [key, { said, state, isFifth }] of all)
    if (!isFifth && !said.has("$homie") && state === undefined) return all.delete(key);
  return false;
}
