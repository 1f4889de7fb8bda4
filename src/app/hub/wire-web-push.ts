// Wires messages to browsers: who asked for them, and the way to their push services.
import { within } from "../../kit/lifecycle/lifecycle.ts";
import type { Platform } from "../../kit/lifecycle/platform.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { lazy } from "../../kit/time/lazy.ts";
import { DeliveryError, type OwnPage } from "../../reach/notify/channel.ts";
import { readChannels } from "../../reach/notify/config.ts";
import { addressesWithin, guardedFetch } from "../../reach/notify/http/guarded-fetch.ts";
import type { Subscriptions } from "../../reach/notify/web-push/subscriptions.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { HubConfig } from "../config/sections.ts";

const LOOKUP_MS = 2000;

export interface WebPush {
  readonly page: OwnPage;
  readonly subscriptions: Pick<Subscriptions, "key" | "add" | "remove">;
  /** Rejects with HubError `invalid` for an address where no message would be sent, as far as it is found out within two seconds. */
  assertReachable(endpoint: string): Promise<void>;
  /** The channels that send to this user's browsers. */
  channelsOf(username: string): string[];
}

/** Reads and makes nothing before it is asked for. */
export function wireWebPush(db: StateDb, { clock, fetch }: Platform, { notify }: Pick<HubConfig, "notify">): WebPush {
  const opened = lazy(() => {
    const { openSubscriptions } =
      require("../../reach/notify/web-push/subscriptions.ts") as typeof import("../../reach/notify/web-push/subscriptions.ts");
    return openSubscriptions(db, clock.now);
  });
  const guard = { reach: "internet", hint: "Only push services on the internet are asked" } as const;
  async function assertReachable(endpoint: string): Promise<void> {
    const url = URL.parse(endpoint);
    if (!url) return;
    try {
      await within(clock, LOOKUP_MS, "push service", addressesWithin(url, guard));
    } catch (error) {
      // One that cannot be looked up now may be reached later.
      if (!(error instanceof DeliveryError)) return;
      throw new HubError(
        "invalid",
        `endpoint: ${error.message}, so nothing would ever arrive: this browser needs a push service on the internet`,
      );
    }
  }
  const subscriptions: Subscriptions = {
    key: () => opened().key(),
    add: (userId, given) => opened().add(userId, given),
    remove: (userId, endpoint) => opened().remove(userId, endpoint),
    of: (usernames) => opened().of(usernames),
    forget: (endpoint) => opened().forget(endpoint),
  };
  return {
    page: { subscriptions, fetch: guardedFetch(fetch, guard) },
    assertReachable,
    subscriptions,
    channelsOf: (username) =>
      readChannels(notify.channels).entries.flatMap((entry) => {
        if (!("config" in entry) || entry.config.type !== "web_push") return [];
        const { users, name } = entry.config;
        return users === undefined || users.includes(username) ? [name] : [];
      }),
  };
}
