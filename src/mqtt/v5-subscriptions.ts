// The subscriptions of one MQTT 5 client: the options 3.1.1 lacks (no local, retain handling) and a reason code for each
// filter, where the broker answers only for those it was shown.

import type { ISubackPacket, ISubscribePacket, IUnsubscribePacket } from "mqtt-packet";
import { matchesFilter } from "../core/topic-filter.ts";

type Subscription = ISubscribePacket["subscriptions"][number];

export interface V5Subscriptions {
  /** What to ask the broker for, or the answer where it need not be asked. */
  ask(packet: ISubscribePacket): { forward: Subscription[] } | { codes: number[] };
  /** Reason codes for all filters of the request the broker answered. */
  granted(packet: ISubackPacket): number[] | undefined;
  drop(packet: IUnsubscribePacket): void;
  dropped(messageId: number): number[];
  refusesOwn(topic: string): boolean;
  /** Whether the client asked not to be sent what is retained there. */
  refusesRetained(topic: string): boolean;
}

interface Filter {
  noLocal: boolean;
  noRetained: boolean;
}

const NO_IDENTIFIERS = 0xa1;
const NO_SHARED = 0x9e;
const NOT_AUTHORIZED = 0x87;
const NO_SUBSCRIPTION = 0x11;
const FAILED = 0x80;

export function createV5Subscriptions(): V5Subscriptions {
  const filters = new Map<string, Filter>();
  const asked = new Map<number, { wanted: (string | number)[]; forward: Subscription[] }>();
  const leaving = new Map<number, number[]>();

  return {
    ask({ messageId = 0, properties, subscriptions }) {
      // The same filter twice is answered once by the broker: the last of them counts.
      const forward = new Map<string, Subscription>();
      const wanted = subscriptions.map((subscription) => {
        if (properties?.subscriptionIdentifier !== undefined) return NO_IDENTIFIERS;
        if (subscription.topic.startsWith("$share/")) return NO_SHARED;
        forward.set(subscription.topic, subscription);
        return subscription.topic;
      });
      if (forward.size === 0) return { codes: wanted.map(Number) };
      asked.set(messageId, { wanted, forward: [...forward.values()] });
      return { forward: [...forward.values()].map(({ topic, qos }) => ({ topic, qos })) };
    },
    granted({ messageId = 0, granted }) {
      const request = asked.get(messageId);
      if (!request) return undefined;
      asked.delete(messageId);
      const answers = new Map<string, number>();
      for (const [index, { topic, nl, rh }] of request.forward.entries()) {
        const code = Number(granted[index] ?? FAILED);
        answers.set(topic, code === FAILED ? NOT_AUTHORIZED : code);
        if (code >= FAILED) continue;
        filters.set(topic, { noLocal: nl === true, noRetained: rh === 2 || (rh === 1 && filters.has(topic)) });
      }
      return request.wanted.map((one) => (typeof one === "string" ? (answers.get(one) ?? FAILED) : one));
    },
    drop({ messageId = 0, unsubscriptions }) {
      leaving.set(
        messageId,
        unsubscriptions.map((topic) => (filters.delete(topic) ? 0 : NO_SUBSCRIPTION)),
      );
    },
    dropped(messageId) {
      const codes = leaving.get(messageId) ?? [0];
      leaving.delete(messageId);
      return codes;
    },
    refusesOwn: (topic) => [...filters].some(([filter, { noLocal }]) => noLocal && matchesFilter(filter, topic)),
    refusesRetained(topic) {
      const matching = [...filters].filter(([filter]) => matchesFilter(filter, topic));
      return matching.length > 0 && matching.every(([, { noRetained }]) => noRetained);
    },
  };
}
