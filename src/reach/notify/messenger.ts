// Posts a notification to names: finds the people behind them, renders it for each channel they stand for, and hands it to the
// outbox, or holds it back. What concerns one name only keeps it from none of the others.
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { OwnRows } from "../../server/db/own-rows.ts";
import type { Addressed, Notifier } from "./notifier.ts";
import type { FirstTry, Outbox } from "./outbox/outbox.ts";
import { bytesOf, MAX_BYTES } from "./outbox/queued-message.ts";
import type { Person } from "./people/config.ts";
import type { Digest } from "./people/digest.ts";
import type { HeldMessages } from "./people/held.ts";
import type { People } from "./people/people.ts";
import type { Notification } from "./render.ts";

/** A notification that does not say to whom. */
export type Unaddressed = Omit<Notification, "channel">;

export interface Messenger {
  /** Whether there is such a channel, person or group. */
  has(name: string): boolean;
  /**
   * It is stored when `enqueue` returns; the promise resolves with the results of the first tries, and never rejects. `along`: written in
   * the same commit.
   */
  enqueue(names: readonly string[], notification: Unaddressed, along?: OwnRows): Promise<FirstTry[]>;
  /** The people of a group as `person:` names, in their order; any other name itself. Throws HubError `not_found`. */
  expand(name: string): readonly string[];
  /** All channels a name stands for, of people every one they have. Throws HubError `not_found`. */
  channelsOf(name: string): readonly string[];
}

export interface MessengerOptions {
  notifier: Pick<Notifier, "has" | "list" | "render" | "renderPlain">;
  outbox: Pick<Outbox, "enqueue">;
  people: Pick<People, "isPeople" | "has" | "members" | "address">;
  held: Pick<HeldMessages, "hold" | "write">;
  log: Log;
}

/** Of a text that is too long to be kept while it waits. */
const MAX_TEXT = 100_000;
const CUT = `it was too long: its first ${MAX_TEXT} characters are sent`;

export function createMessenger({ notifier, outbox, people, held, log }: MessengerOptions): Messenger {
  const has = (name: string): boolean => (people.isPeople(name) ? people.has(name) : notifier.has(name));

  /** What was known at once of the names, and the people behind them. */
  function addresseesOf(names: readonly string[], notification: Unaddressed) {
    const now = new Set<Person>();
    const later = new Set<Person>();
    const channels: string[] = [];
    const failed: FirstTry[] = [];
    for (const name of new Set(names)) {
      try {
        if (!people.isPeople(name)) channels.push(name);
        else {
          const found = people.address(name, notification);
          for (const person of found.now) now.add(person);
          for (const person of found.held) later.add(person);
          if (found.now.length + found.held.length === 0) log.info("a notification concerns nobody now", { to: name });
        }
      } catch (error) {
        failed.push({ channel: name, state: "failed", error: messageOf(error) });
      }
    }
    return { channels, now, later: [...later].filter((person) => !now.has(person)), failed };
  }

  function render(channel: string, notification: Unaddressed, failed: FirstTry[]): Addressed[] {
    try {
      const whole = notifier.render({ ...notification, channel });
      if (whole.every(({ message }) => bytesOf(message) <= MAX_BYTES)) return whole;
      return notifier.render({ ...notification, channel, longest: MAX_TEXT }).map((each) => ({ ...each, note: CUT }));
    } catch (error) {
      failed.push({ channel, state: "failed", error: messageOf(error) });
      return [];
    }
  }

  function hold(later: readonly Person[], notification: Unaddressed): FirstTry[] {
    if (later.length === 0) return [];
    const texts = notifier.renderPlain(notification);
    return later.map((person) => {
      held.hold(person, texts);
      return { channel: `person:${person.name}`, state: "queued", error: "it is not the time to disturb" };
    });
  }

  return {
    has,
    async enqueue(names, given, along) {
      const { channels, now, later, failed } = addresseesOf(names, given);
      const notification = { ...given, shared: channels.length + now.size + later.length > 1 };
      const plain = channels.flatMap((channel) => render(channel, notification, failed));
      const addressed = new Map(plain.map((each) => [each.channel, [each]]));
      for (const person of now) {
        const usable = usableChannels(person.channels, notifier);
        const [first = ""] = usable;
        // Whoever shares a channel gets one message there.
        if (addressed.has(first)) continue;
        const copies = usable.flatMap((channel) => render(channel, notification, failed));
        addressed.set(first, relayed(copies));
      }
      const waits = hold(later, notification);
      const withHeld = (): void => {
        held.write();
        along?.();
      };
      const tried = outbox.enqueue([...addressed.values()].flat(), waits.length > 0 ? withHeld : along);
      return [...failed, ...waits, ...(await tried)];
    },
    expand: (name) => (people.isPeople(name) ? people.members(name).map((person) => `person:${person.name}`) : [name]),
    channelsOf: (name) =>
      people.isPeople(name) ? [...new Set(people.members(name).flatMap((person) => person.channels))] : [name],
  };
}

/** A digest for the first of these channels that is there and works, or else for the log. */
export function digestMessages(
  { title, text, id, channels }: Digest & { id: string; channels: readonly string[] },
  notifier: Pick<Notifier, "has" | "list" | "render">,
): Addressed[] {
  const there = channels.filter((name) => notifier.has(name));
  const context = { deviceId: undefined, trigger: {}, vars: { held: text } };
  const copies = usableChannels(there.length > 0 ? there : ["log"], notifier).flatMap((channel) =>
    notifier.render({ channel, title, message: "{{vars.held}}", context }),
  );
  return relayed(copies, id);
}

/** Those that are not disabled, or all of them. */
function usableChannels(channels: readonly string[], { list }: Pick<Notifier, "list">): readonly string[] {
  const enabled = new Set(list().flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  const usable = channels.filter((name) => enabled.has(name));
  return usable.length > 0 ? usable : channels;
}

/** Copies of one message, of which one is to arrive. */
function relayed(copies: readonly Addressed[], given?: string): Addressed[] {
  const id = given ?? copies[0]?.message.id ?? "";
  return copies.map(({ channel, message, note }, position) => ({
    channel,
    ...(note !== undefined && { note }),
    message: { ...message, id },
    ...(copies.length > 1 && { relay: { id, position } }),
  }));
}
