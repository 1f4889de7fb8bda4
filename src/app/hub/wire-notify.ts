// Wires notifications: the channels, and the outbox for what cannot be delivered at once.
import type { DevicePictures } from "../../house/pictures/pictures.ts";
import type { Kept } from "../../kit/lifecycle/kept.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { type Clock, sleep } from "../../kit/time/clock.ts";
import { createZone } from "../../kit/time/zone.ts";
import type { Mqtt } from "../../reach/mqtt/start.ts";
import type { ChannelMessage } from "../../reach/notify/channel.ts";
import { openChannelMemory } from "../../reach/notify/channel-memory.ts";
import { createMessenger, digestMessages, type Messenger } from "../../reach/notify/messenger.ts";
import type { Notices } from "../../reach/notify/notices/notices.ts";
import { type Addressed, createNotifier, type Notifier } from "../../reach/notify/notifier.ts";
import { type FirstTry, type Outbox, type SentMessage, startOutbox } from "../../reach/notify/outbox/outbox.ts";
import { type HeldMessages, openHeldMessages } from "../../reach/notify/people/held.ts";
import { createPeople, type People, type PeopleHouse } from "../../reach/notify/people/people.ts";
import { type Pictures, startPictures } from "../../reach/notify/pictures/pictures.ts";
import { createHouseTime } from "../../reach/notify/render.ts";
import type { HouseEffects, Undelivered } from "../../rules/model/host.ts";
import { createMeta } from "../../server/db/meta.ts";
import type { HubOptions } from "./options.ts";
import type { Port } from "./start/port.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";
import { type WebPush, wireWebPush } from "./wire-web-push.ts";

export interface Notifications {
  notifier: Notifier;
  outbox: Outbox;
  messenger: Messenger;
  /** Notified of each MQTT message outside the hub's own topics. */
  receiveMqtt: Pictures["receive"];
  people: Pick<People, "list">;
  held: Pick<HeldMessages, "count">;
  webPush: Omit<WebPush, "page">;
}

/** What notices do with messages. */
export interface NoticeHooks {
  sent: (sent: SentMessage) => void;
  lost: Notices["lost"];
  /** The message with the links that answer it, where it can be answered. */
  withLinks: (message: ChannelMessage, channel: string) => ChannelMessage;
}

/** Opens no connections yet. */
export function wireNotify(
  { config, home, platform, log, fence }: HubOptions,
  { db, feed, budget, limits }: Stores,
  {
    house,
    pictures: shown,
    mqtt,
    kept,
    notices,
    stack,
  }: {
    house: House;
    pictures: Pick<DevicePictures, "find" | "next">;
    mqtt: Port<Mqtt>;
    kept: Port<Kept>;
    notices: Port<NoticeHooks>;
    stack: AsyncDisposableStack;
  },
): Notifications {
  const { clock, random } = platform;
  const { registry, variables } = house;
  const zone = createZone(config.location.timezone);
  const houseTime = createHouseTime(() => zone.name);
  const shared = { clock, random, log: log.child("notify") };
  const memory = stack.use(openChannelMemory({ ...shared, db, budget: budget.essential }));
  const webPush = wireWebPush(db, platform, config);
  const notifier = createNotifier({
    ...shared,
    memory,
    fence,
    section: config.notify,
    fetch: platform.fetch,
    timezone: () => zone.name,
    resolve: home.resolve,
    kept: createMeta(db),
    house: {
      device: (id) => registry.find(id),
      variable: (name) => (variables.has(name) ? variables.get(name).value : undefined),
    },
    broker: {
      prefix: config.mqtt.prefix,
      publish: async (topic, payload, how) => mqtt.get().publish(topic, payload, how),
    },
    webPush: webPush.page,
  });
  const pictures = stack.use(
    startPictures({
      ...shared,
      db,
      notifier,
      fetch: platform.fetch,
      hosts: config.notify.picture_hosts,
      home: home.root,
      folder: home.waitingPictures,
      device: (id) => registry.find(id),
      shown,
      retained: (topic) => [...(mqtt.now?.retainedOthers(topic) ?? [])].at(-1)?.payload,
    }),
  );
  const withLinks = (addressed: Addressed): Addressed => {
    const { message, channel } = addressed;
    return { ...addressed, message: notices.now?.withLinks(message, channel) ?? message };
  };
  const outbox = stack.use(
    startOutbox({
      ...shared,
      db,
      notifier: {
        list: notifier.list,
        deliver(addressed, ...how) {
          const deliver = () => pictures.deliver(withLinks(addressed), ...how);
          return kept.now?.wait()?.then(deliver) ?? deliver();
        },
      },
      sent: (sent) => notices.now?.sent(sent),
      lost: (lost) => notices.now?.lost(lost),
      emit: feed.emit,
      houseTime,
      expireHours: config.notify.expire_hours,
      quota: { messages: config.notify.max_waiting, bytes: config.notify.max_waiting_mb * 1_048_576 },
      limits,
      budget: budget.essential,
    }),
  );
  const enqueue: Outbox["enqueue"] = (addressed, along) => {
    pictures.take(addressed);
    return outbox.enqueue(addressed, along);
  };
  const withPictures = { ...outbox, enqueue };
  const people = createPeople({ section: config.people, clock, zone, house: peopleHouse(house) });
  const held = stack.use(
    openHeldMessages({
      ...{ ...shared, db, budget: budget.essential, people, houseTime, isSent: outbox.has },
      send: (digest, along) =>
        background(shared.log, "digest", outbox.enqueue(digestMessages(digest, notifier), along)),
    }),
  );
  const messenger = createMessenger({ notifier, outbox: withPictures, people, held, log: shared.log });
  return { notifier, outbox: withPictures, messenger, people, held, webPush, receiveMqtt: pictures.receive };
}

function peopleHouse({ registry, variables }: House): PeopleHouse {
  return {
    // As the configuration names it, which may be from before a person gave it another name.
    attribute: (id, name) =>
      new Map(Object.entries(registry.find(id)?.attributes ?? {})).get(registry.given.presentOf(id, name)),
    variable: (name) => (variables.has(name) ? variables.get(name).value : undefined),
    mode(id) {
      const device = registry.find(id);
      return device?.deviceType === "mode" ? device.attributes.on === true : undefined;
    },
  };
}

/** How long a rule waits for the result: a mistake in the configuration shows within this time, and a slow service delays no rule. */
const RULE_WAITS_MS = 25;

/** Notifications of rules, which are kept until they are delivered. Rejects with the failures for good that are known at once. */
export function notifyForRules(messenger: Pick<Messenger, "enqueue">, clock: Clock): HouseEffects["notify"] {
  return async function notify({ channels, ...notification }, _signal, record) {
    // When `enqueue` returns, the notification is stored; its later fate is in the log and in events.
    const first = messenger.enqueue(channels, notification, record);
    const decided = new AbortController();
    const timeout = sleep(clock, "notify-answer", RULE_WAITS_MS, decided.signal).then(() => undefined);
    const tries = await Promise.race([first, timeout]);
    decided.abort();
    if (tries === undefined) return { notes: [], later: first.then(undeliveredIn) };
    const undelivered = undeliveredIn(tries);
    if (undelivered?.waits === false) throw new HubError("upstream_failed", undelivered.why);
    return {
      undelivered,
      notes: tries.flatMap(({ channel, note }) => (note === undefined ? [] : `${channel}: ${note}`)),
    };
  };
}

/** What failed for good, if anything did; else what waits, unless it only waits for its turn. */
function undeliveredIn(tries: readonly FirstTry[]): Undelivered | undefined {
  const failed = tries.filter(({ state }) => state === "failed");
  if (failed.length > 0) {
    const of = tries.length > 1 ? `${failed.length} of ${tries.length} channels: ` : "";
    return { why: of + failed.map(describeFailure).join("; "), waits: false };
  }
  const waits = tries.flatMap(({ channel, error }) =>
    error === undefined ? [] : `${channel} waits, because ${error}`,
  );
  return waits.length > 0 ? { why: waits.join("; "), waits: true } : undefined;
}

function describeFailure({ channel, error = "it failed", hint }: FirstTry): string {
  return `${channel}: ${error}${hint ? `; ${hint}` : ""}`;
}
