// Wires notices: messages that somebody can answer, that go on to the next person, or that have a tag. Their code is loaded with the
// first of them.
import type { Kept } from "../../kit/lifecycle/kept.ts";
import { secret } from "../../kit/schema/ids.ts";
import { lazy } from "../../kit/time/lazy.ts";
import { ACKNOWLEDGE, type ChannelMessage } from "../../reach/notify/channel.ts";
import { readChannels } from "../../reach/notify/config.ts";
import { withoutSlash } from "../../reach/notify/http/web-service.ts";
import type { Messenger, Unaddressed } from "../../reach/notify/messenger.ts";
import type { Links } from "../../reach/notify/notices/links.ts";
import { isNotice, type RaisedNotice } from "../../reach/notify/notices/notice.ts";
import type { Notices } from "../../reach/notify/notices/notices.ts";
import { createHouseTime } from "../../reach/notify/render.ts";
import type { Alerts } from "../../server/alerts/alerts.ts";
import { createMeta } from "../../server/db/meta.ts";
import { timezoneOf } from "../config/location.ts";
import type { ChatCommandDeps, ChatCommands } from "./chat-commands.ts";
import type { HubOptions } from "./options.ts";
import type { Port } from "./start/port.ts";
import type { House } from "./wire-house.ts";
import type { NoticeHooks, Notifications } from "./wire-notify.ts";
import type { Stores } from "./wire-stores.ts";

export interface WiredNotices extends NoticeHooks {
  notices: Omit<Notices, keyof NoticeHooks>;
  links: Links;
}

const LINK_KEY = "notice_link_key";
const LINK_KEY_BYTES = 32;
const HOUR_MS = 3_600_000;
const LINKS_UNDER = "/api/v1/notify/links/";

export function wireNotices(
  { config, platform, log }: HubOptions,
  { db, feed }: Stores,
  {
    house: { registry, variables },
    notifications,
    chatCommands,
    kept,
    stack,
  }: {
    house: House;
    notifications: Notifications;
    chatCommands: Port<ChatCommands>;
    kept: Port<Kept>;
    stack: AsyncDisposableStack;
  },
): WiredNotices {
  const { clock, random } = platform;
  const { notifier, outbox, messenger } = notifications;
  const timezone = () => timezoneOf(config.location);
  const houseTime = createHouseTime(timezone);
  const meta = createMeta(db);
  const expireMs = config.notify.expire_hours * HOUR_MS;
  let made: Notices | undefined;
  let started = false;
  stack.defer(async () => made?.[Symbol.asyncDispose]());

  function load(): Notices {
    if (made) return made;
    const { createNotices } =
      require("../../reach/notify/notices/notices.ts") as typeof import("../../reach/notify/notices/notices.ts");
    made = createNotices({
      ...{ db, clock, random, emit: feed.emit, houseTime, expireMs },
      log: log.child("notify"),
      house: {
        device: (id) => registry.find(id),
        variable: (name) => (variables.has(name) ? variables.get(name).value : undefined),
        now: () => houseTime(clock.now()),
        get timezone() {
          return timezone();
        },
      },
      enqueue: messenger.enqueue,
      render(notification) {
        const [rendered] = notifier.render(notification);
        if (!rendered) throw new Error("a channel rendered nothing");
        return withLinks(rendered.message, notification.channel);
      },
      cancelWaiting: outbox.cancelNotice,
      waitingIn: outbox.waitingFor,
      channels: () => notifier.list().flatMap(({ name }) => notifier.channel(name) ?? []),
      channel: notifier.channel,
      // Where there is no such name: the messenger says so when it is asked.
      expand: (name) => (messenger.has(name) ? messenger.expand(name) : [name]),
      channelsOf: (name) => (messenger.has(name) ? messenger.channelsOf(name) : []),
      plainChannels(name) {
        if (name !== "all") return notifier.channel(name) ? [name] : undefined;
        return notifier.list().flatMap((one) => (one.name === "log" ? [] : [one.name]));
      },
      confirmed: () => kept.now?.confirmed(),
      written: async (...what) => chatCommands.now?.(...what),
    });
    if (started) made.start();
    return made;
  }

  const linksOf = lazy(() => {
    const { createLinks } =
      require("../../reach/notify/notices/links.ts") as typeof import("../../reach/notify/notices/links.ts");
    return createLinks(() => Buffer.from(linkKey(), "base64url"));
  });

  function linkKey(): string {
    const known = meta.get(LINK_KEY);
    if (known !== undefined) return known;
    const made = secret(random, LINK_KEY_BYTES);
    meta.set(LINK_KEY, made);
    return made;
  }

  function withLinks(message: ChannelMessage, channel: string): ChannelMessage {
    const { public_url } = config.notify;
    const { notice, answerable, at, actions = [] } = message;
    if (public_url === undefined || notice === undefined || !answerable) return message;
    const to = (action: string): string =>
      withoutSlash(public_url) + LINKS_UNDER + linksOf().sign({ notice, channel, action, expiresAt: at + expireMs });
    const actionLinks = actions.map((action) => ({ ...action, url: to(action.id) }));
    return { ...message, acknowledgeUrl: to(ACKNOWLEDGE), ...(actionLinks.length > 0 && { actionLinks }) };
  }

  return {
    links: { sign: (claims) => linksOf().sign(claims), read: (token) => linksOf().read(token) },
    sent(sent) {
      if (sent.message.notice !== undefined) load().sent(sent);
    },
    lost: (lost) => load().lost(lost),
    withLinks,
    notices: {
      raise: (...raised) => load().raise(...raised),
      clear: (tag) => load().clear(tag),
      acknowledge: (id, answer) => load().acknowledge(id, answer),
      answered: (channel, answer) => load().answered(channel, answer),
      get: (id) => load().get(id),
      list: () => load().list(),
      // Who listens is loaded.
      listeningProblem: (channel) => made?.listeningProblem(channel),
      start() {
        started = true;
        const listens = notifier.list().some(({ name }) => notifier.channel(name)?.listensAlways);
        const left = db.own.query("SELECT 1 FROM notices LIMIT 1").get();
        if (made) made.start();
        else if (listens || left) load();
      },
      [Symbol.asyncDispose]: async () => {},
    },
  };
}

/** As the messenger posts, but it raises a notice where a notification is one. */
export function postWithNotices({
  notify,
  notices,
}: {
  notify: Port<Notifications>;
  notices: Port<WiredNotices>;
}): Messenger["enqueue"] {
  return (channels, notification: Unaddressed & Pick<RaisedNotice, "escalateMs">, along) =>
    isNotice(notification)
      ? notices.get().notices.raise({ ...notification, channels }, along)
      : notify.get().messenger.enqueue(channels, notification, along);
}

/** What is done that people write to channels with `commands = true`; loaded with the first of it. */
export function commandsOfChats(
  { config, platform }: HubOptions,
  wired: Pick<ChatCommandDeps, "audit" | "guests" | "registry" | "scenes" | "rules"> & {
    auth: Stores["auth"];
    alerts: Pick<Alerts, "degraded">;
    kept: Kept | undefined;
  },
): ChatCommands {
  const { entries } = readChannels(config.notify.channels);
  const users = new Map(
    entries.flatMap((entry) =>
      "config" in entry && entry.config.type === "messaging_bot" && entry.config.commands
        ? [[entry.name, entry.config.user] as const]
        : [],
    ),
  );
  const load = lazy(() => {
    const { createChatCommands } = require("./chat-commands.ts") as typeof import("./chat-commands.ts");
    return createChatCommands({
      ...{ ...wired, clock: platform.clock, users: wired.auth.users },
      degraded: () => wired.alerts.degraded(),
      userOf: (channel) => users.get(channel),
    });
  });
  return (...what) => load()(...what);
}
