// HTTP calls that trigger rules. A call with a rule's secret is emitted on the feed without the secret. Only the engine gets a
// copy with it, so that of several rules with one path only those with this secret fire.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Json } from "../../../kit/schema/json.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { createEnvelope, type Envelope, type EventFeed } from "../../../server/events/feed.ts";
import type { Rule } from "../../read/rule.ts";

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
  /** The feed for the engine. */
  readonly feed: Pick<EventFeed, "on" | "head">;
  put(rule: Rule): void;
  remove(id: string): void;
  /** False if no enabled rule has this path and secret, or this path and needs none. Takes the same time whichever of the two is wrong. */
  call(call: WebhookCall): boolean;
}

type Listener = (envelope: Envelope) => void;

const TYPE = "webhook_received";
// Compared with every secret, so that an unknown path takes as long as a known one.
const NO_SECRET = digest("a secret that no rule has");

export function createWebhooks({ feed, now }: { feed: EventFeed; now: () => number }): Webhooks {
  const listeners = new Set<Listener>();
  // Path → rule → digests of its secrets there.
  const secrets = new Map<string, Map<string, Buffer[]>>();
  const pathsOf = new Map<string, Set<string>>();
  // Path → rules that need no secret there.
  const open = new Map<string, Set<string>>();

  function remove(id: string): void {
    for (const path of pathsOf.get(id) ?? []) {
      const rules = secrets.get(path);
      rules?.delete(id);
      if (rules?.size === 0) secrets.delete(path);
    }
    pathsOf.delete(id);
    for (const [path, rules] of open) if (rules.delete(id) && rules.size === 0) open.delete(path);
  }

  function add(id: string, path: string, secret: string): void {
    const rules = secrets.get(path) ?? new Map<string, Buffer[]>();
    secrets.set(path, rules.set(id, [...(rules.get(id) ?? []), digest(secret)]));
    pathsOf.set(id, (pathsOf.get(id) ?? new Set()).add(path));
  }

  function isKnown(path: string, secret: string): boolean {
    const given = digest(secret);
    const known = [NO_SECRET, ...[...(secrets.get(path)?.values() ?? [])].flat()];
    return known.filter((one) => timingSafeEqual(one, given)).some((one) => one !== NO_SECRET);
  }

  return {
    feed: {
      get head() {
        return feed.head;
      },
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
        if (type !== TYPE || typeof path !== "string") continue;
        if (typeof secret === "string") add(rule.id, path, secret);
        else open.set(path, (open.get(path) ?? new Set()).add(rule.id));
      }
    },
    remove,
    call({ secret, ...fields }) {
      if (!isKnown(fields.path, secret) && !open.has(fields.path)) return false;
      feed.emit({ type: TYPE, ...fields });
      const event = { type: TYPE, ...fields, timestamp: isoSeconds(now()), seq: feed.ring.head } as const;
      // Not enumerable, so that copies and JSON of the event do not contain it.
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
