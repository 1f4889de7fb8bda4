// Calls from outside. A call that knows the secret of a rule is told on the feed without it; only the engine is handed the
// secret as well, so that of several rules on one path those fire whose secret was given.
import { createHash, timingSafeEqual } from "node:crypto";
import { isoSeconds } from "../core/clock.ts";
import type { Json } from "../core/json.ts";
import { createEnvelope, type Envelope, type EventFeed } from "../events/feed.ts";
import type { Rule } from "./rule.ts";

export interface WebhookCall {
  /** The last part of the address. */
  path: string;
  method: string;
  /** Without `secret`. */
  query: Record<string, string>;
  body: Json;
  secret: string;
}

export interface Webhooks {
  /** The feed as the engine hears it. */
  readonly feed: Pick<EventFeed, "on" | "ring">;
  put(rule: Rule): void;
  remove(id: string): void;
  /** False where no enabled rule has this path and secret; takes the same time whichever of both is wrong. */
  call(call: WebhookCall): boolean;
}

type Listener = (envelope: Envelope) => void;

const TYPE = "webhook_received";
const NOBODYS = digest("a secret that opens nothing");

export function createWebhooks({ feed, now }: { feed: EventFeed; now: () => number }): Webhooks {
  const listeners = new Set<Listener>();
  // Path → rule → digests of its secrets there.
  const doors = new Map<string, Map<string, Buffer[]>>();
  const pathsOf = new Map<string, Set<string>>();

  function remove(id: string): void {
    for (const path of pathsOf.get(id) ?? []) {
      const rules = doors.get(path);
      rules?.delete(id);
      if (rules?.size === 0) doors.delete(path);
    }
    pathsOf.delete(id);
  }

  function open(id: string, path: string, secret: string): void {
    const rules = doors.get(path) ?? new Map<string, Buffer[]>();
    doors.set(path, rules.set(id, [...(rules.get(id) ?? []), digest(secret)]));
    pathsOf.set(id, (pathsOf.get(id) ?? new Set()).add(path));
  }

  function isAdmitted(path: string, secret: string): boolean {
    const given = digest(secret);
    const known = [NOBODYS, ...[...(doors.get(path)?.values() ?? [])].flat()];
    return known.filter((one) => timingSafeEqual(one, given)).some((one) => one !== NOBODYS);
  }

  return {
    feed: {
      ring: feed.ring,
      on(type, name, listener) {
        if (type !== TYPE) return feed.on(type, name, listener);
        listeners.add(listener as Listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener as Listener) };
      },
    },
    put(rule) {
      remove(rule.id);
      if (!rule.enabled) return;
      for (const { type, path, secret } of rule.triggers) {
        if (type === TYPE && typeof path === "string" && typeof secret === "string") open(rule.id, path, secret);
      }
    },
    remove,
    call({ secret, ...told }) {
      if (!isAdmitted(told.path, secret)) return false;
      feed.emit({ type: TYPE, ...told });
      const event = { type: TYPE, ...told, timestamp: isoSeconds(now()), seq: feed.ring.head } as const;
      // Not enumerable: whoever copies or writes the event leaves it behind.
      Object.defineProperty(event, "secret", { value: secret });
      const envelope = createEnvelope(event);
      for (const listener of [...listeners]) listener(envelope);
      return true;
    },
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
