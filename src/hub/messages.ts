// How the hub reaches people: channels, and the outbox for what does not get through at once.
import { timezoneOf } from "../config/location.ts";
import { type Clock, sleep } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { createHouseTime } from "../notify/house-time.ts";
import { createNotifier, type Notifier } from "../notify/notifier.ts";
import { type FirstTry, type Outbox, startOutbox } from "../notify/outbox/outbox.ts";
import type { RuleHost } from "../rules/host.ts";
import type { House } from "./house.ts";
import type { HubOptions } from "./options.ts";
import { standInFor } from "./parts.ts";
import type { Stores } from "./stores.ts";

export interface Messages {
  notifier: Notifier;
  outbox: Outbox;
}

/** Connects to nothing. */
export function openMessages(
  { config, home, edge, log }: HubOptions,
  { db, feed, budget, limits }: Stores,
  { house: { registry, variables }, stack }: { house: House; stack: AsyncDisposableStack },
): Messages {
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
      room: { letters: config.notify.max_waiting, bytes: config.notify.max_waiting_mb * 1_048_576 },
      limits,
      budget,
    }),
  );
  return { notifier, outbox };
}

export function offMessages(reason: string): Messages {
  return {
    // Which channels there are, nobody can say.
    notifier: standInFor<Notifier>(reason, { has: () => true }),
    outbox: standInFor<Outbox>(reason, {}),
  };
}

/** A rule waits so long for what came of it: what is wrong here shows at once, and what is slow elsewhere holds nothing up. */
const RULE_WAITS_MS = 25;

/** Notifications of rules: kept until they get through. Rejects with what is known at once to have failed. */
export function notifyForRules({ notifier, outbox }: Messages, clock: Clock): Pick<RuleHost, "notify" | "hasChannel"> {
  return {
    hasChannel: notifier.has,
    async notify(notification) {
      // When it returns, it is kept; what becomes of it later is in the log and in events.
      const first = outbox.post(notifier.render(notification));
      const known = new AbortController();
      const late = sleep(clock, "notify-answer", RULE_WAITS_MS, known.signal).then(() => []);
      // One that only waits for its turn has missed nothing.
      const missed = (await Promise.race([first, late])).filter(
        ({ state, error }) => state === "failed" || error !== undefined,
      );
      known.abort();
      if (missed.length > 0) throw new HubError("upstream_failed", missed.map(inWords).join("; "));
    },
  };
}

function inWords({ channel, state, error = "it failed", hint }: FirstTry): string {
  const kept = state === "queued" ? " (kept, and tried again)" : "";
  return `${channel}: ${error}${hint ? `; ${hint}` : ""}${kept}`;
}
