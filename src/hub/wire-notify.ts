// Wires notifications: the channels, and the outbox for what cannot be delivered at once.
import { timezoneOf } from "../config/location.ts";
import { type Clock, sleep } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { createNotifier, type Notifier } from "../notify/notifier.ts";
import { type FirstTry, type Outbox, startOutbox } from "../notify/outbox/outbox.ts";
import { createHouseTime } from "../notify/render.ts";
import type { RuleHost } from "../rules/model/host.ts";
import type { HubOptions } from "./options.ts";
import { standInFor } from "./part-starter.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

export interface Notifications {
  notifier: Notifier;
  outbox: Outbox;
}

/** Opens no connections yet. */
export function wireNotify(
  { config, home, edge, log }: HubOptions,
  { db, feed, budget, limits }: Stores,
  { house: { registry, variables }, stack }: { house: House; stack: AsyncDisposableStack },
): Notifications {
  const { clock, random } = edge;
  const timezone = timezoneOf(config.location);
  const shared = { clock, random, log: log.child("notify") };
  const notifier = createNotifier({
    ...shared,
    section: config.notify,
    fetch: edge.fetch,
    timezone,
    resolve: home.resolve,
    house: {
      device: (id) => registry.find(id),
      variable: (name) => (variables.has(name) ? variables.get(name).value : undefined),
    },
  });
  const outbox = stack.use(
    startOutbox({
      ...shared,
      db,
      notifier,
      emit: feed.emit,
      houseTime: createHouseTime(timezone),
      expireHours: config.notify.expire_hours,
      quota: { messages: config.notify.max_waiting, bytes: config.notify.max_waiting_mb * 1_048_576 },
      limits,
      budget,
    }),
  );
  return { notifier, outbox };
}

export function offNotify(reason: string): Notifications {
  return {
    // The channels are not known, so none counts as missing.
    notifier: standInFor<Notifier>(reason, { has: () => true }),
    outbox: standInFor<Outbox>(reason, {}),
  };
}

/** How long a rule waits for the result: a mistake in the configuration shows within this time, and a slow service delays no rule. */
const RULE_WAITS_MS = 25;

/** Notifications of rules, which are kept until they are delivered. Rejects with the failures that are known at once. */
export function notifyForRules(
  { notifier, outbox }: Notifications,
  clock: Clock,
): Pick<RuleHost, "notify" | "hasChannel"> {
  return {
    hasChannel: notifier.has,
    async notify(notification) {
      // When `post` returns, the notification is stored; its later fate is in the log and in events.
      const first = outbox.post(notifier.render(notification));
      const decided = new AbortController();
      const late = sleep(clock, "notify-answer", RULE_WAITS_MS, decided.signal).then(() => []);
      // One that only waits in the queue has not failed.
      const failed = (await Promise.race([first, late])).filter(
        ({ state, error }) => state === "failed" || error !== undefined,
      );
      decided.abort();
      if (failed.length > 0) throw new HubError("upstream_failed", failed.map(describeTry).join("; "));
    },
  };
}

function describeTry({ channel, state, error = "it failed", hint }: FirstTry): string {
  const kept = state === "queued" ? " (kept, and tried again)" : "";
  return `${channel}: ${error}${hint ? `; ${hint}` : ""}${kept}`;
}
