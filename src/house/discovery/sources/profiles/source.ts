// Devices that announce nothing, described by profiles: whoever publishes on a topic of a profile has such a device. No message is
// taken away from other sources, and what another source reads is left to it.
import type { Message } from "../../described.ts";
import type { Incoming, Source, SourceHost } from "../../source.ts";
import { Family, type Met } from "./family.ts";
import type { Profile } from "./profile.ts";
import type { ProfileListener } from "./profiles.ts";
import { type TopicPattern, topicPattern } from "./topic-pattern.ts";

interface Listening {
  family: Family;
  pattern: TopicPattern;
  /** Its messages make devices. */
  makes: boolean;
}

const MAX_KEPT_BYTES = 4096;
const MAX_KEPT = 1000;
const MAX_MATCHED = 10_000;
/** No device has longer topics, and what they stand for is kept. */
const MAX_TOPIC = 500;

export function createProfilesSource(host: SourceHost, profiles: { follow(listener: ProfileListener): void }): Source {
  const families = new Map<string, Family>();
  /** By the first level of the topic; undefined for those of any. */
  let listening: Map<string | undefined, Listening[]> | undefined;
  /** Who listens to a topic that was seen. */
  const matched = new Map<string, readonly Listening[]>();
  /** What was said before the device was known, such as that it is online: the last of each account and topic. */
  const kept = new Map<string, Message>();

  profiles.follow((name, profile) => {
    const known = families.get(name);
    if (!profile) {
      known?.clear();
      families.delete(name);
    } else if (known) known.replace(profile);
    else families.set(name, new Family(host, profile, recall));
    // Made anew at the next message: at a start, once for all profiles.
    listening = undefined;
    matched.clear();
  });

  function receive(incoming: Incoming): boolean {
    for (const { family, makes } of listeningTo(incoming.topic)) {
      const met = makes && incoming.payload.length > 0 ? family.meet(incoming) : undefined;
      if (met) recall(incoming, met);
      if (!makes) keep(incoming);
    }
    return false;
  }

  function listeningTo(topic: string): readonly Listening[] {
    const known = matched.get(topic);
    if (known) return known;
    const end = topic.indexOf("/");
    listening ??= listeningOf(families.values());
    const all = listening;
    const [here = [], anywhere = []] = [end < 0 ? topic : topic.slice(0, end), undefined].map((one) => all.get(one));
    if ((here.length === 0 && anywhere.length === 0) || topic.length > MAX_TOPIC) return [];
    const levels = topic.split("/");
    const found = [...here, ...anywhere].filter(({ pattern }) => pattern.match(levels));
    if (found.length === 0) return found;
    if (matched.size >= MAX_MATCHED) matched.clear();
    matched.set(topic, found);
    return found;
  }

  function keep({ sender, topic, payload, message }: Incoming): void {
    const place = `${sender.name}\n${topic}`;
    kept.delete(place);
    if (payload.length === 0 || payload.length + topic.length > MAX_KEPT_BYTES) return;
    kept.set(place, message());
    if (kept.size > MAX_KEPT) for (const oldest of kept.keys()) if (kept.delete(oldest)) break;
  }

  function recall({ sender, topic: current }: Incoming, { key, device }: Met): void {
    for (const topic of device.topics) {
      const message = kept.get(`${sender.name}\n${topic}`);
      // A press of then is none now.
      if (message && topic !== current) host.report(sender, key, { ...device.read(topic, message), actions: [] });
    }
  }

  return { name: "profiles", receive };
}

function listeningOf(families: Iterable<Family>): Map<string | undefined, Listening[]> {
  const found = new Map<string | undefined, Listening[]>();
  for (const family of families) {
    const makers = family.profile.makers.map((pattern) => ({ family, pattern, makes: true }));
    const others = otherTopics(family.profile).map((text) => ({ family, pattern: topicPattern(text), makes: false }));
    for (const one of [...makers, ...others])
      found.set(one.pattern.root, [...(found.get(one.pattern.root) ?? []), one]);
  }
  return found;
}

function otherTopics({ table, makers }: Profile): string[] {
  const { attributes = {}, actions = [], availability } = table;
  const topics = [...Object.values(attributes), ...actions, availability].flatMap((one) => one?.topic ?? []);
  return [...new Set(topics)].filter((topic) => makers.every(({ text }) => text !== topic));
}
