// Wires messages to browsers: who asked for them, and the way to their push services.
import type { HubConfig } from "../config/sections.ts";
import type { Edge } from "../core/edge.ts";
import { lazy } from "../core/lazy.ts";
import type { StateDb } from "../db/state-db.ts";
import type { OwnPage } from "../notify/channel.ts";
import { readChannels } from "../notify/config.ts";
import { guardedFetch } from "../notify/guarded-fetch.ts";
import type { Subscriptions } from "../notify/web-push/subscriptions.ts";

export interface WebPush {
  readonly page: OwnPage;
  readonly subscriptions: Pick<Subscriptions, "key" | "add" | "remove">;
  /** The channels that send to this user's browsers. */
  channelsOf(username: string): string[];
}

/** Reads and makes nothing before it is asked for. */
export function wireWebPush(db: StateDb, { clock, fetch }: Edge, { notify }: Pick<HubConfig, "notify">): WebPush {
  const opened = lazy(() => {
    const { openSubscriptions } =
      require("../notify/web-push/subscriptions.ts") as typeof import("../notify/web-push/subscriptions.ts");
    return openSubscriptions(db, clock.now);
  });
  const hint = "Only push services on the internet are asked";
  const subscriptions: Subscriptions = {
    key: () => opened().key(),
    add: (userId, given) => opened().add(userId, given),
    remove: (userId, endpoint) => opened().remove(userId, endpoint),
    of: (usernames) => opened().of(usernames),
    forget: (endpoint) => opened().forget(endpoint),
  };
  return {
    page: { subscriptions, fetch: guardedFetch(fetch, { reach: "internet", hint }) },
    subscriptions,
    channelsOf: (username) =>
      readChannels(notify.channels).entries.flatMap((entry) => {
        if (!("config" in entry) || entry.config.type !== "web_push") return [];
        const { users, name } = entry.config;
        return users === undefined || users.includes(username) ? [name] : [];
      }),
  };
}
