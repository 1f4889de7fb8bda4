// The subscriptions of one MQTT 5 client: the options that 3.1.1 lacks (no local, retain handling), and reason codes for all filters
// of a request, where the broker only answers for those it got.

import type { ISubackPacket, ISubscribePacket, IUnsubscribePacket } from "mqtt-packet";
import { matchesFilter } from "../../../../kit/text/topic-filter.ts";

type Subscription = ISubscribePacket["subscriptions"][number];

export interface V5Subscriptions {
  /** What to forward to the broker, or the answer where nothing is forwarded. */
  request(packet: ISubscribePacket): { forward: Subscription[] } | { codes: number[] };
  /** Reason codes for all filters of the request that the broker answered. */
  granted(packet: ISubackPacket): number[] | undefined;
  remove(packet: IUnsubscribePacket): void;
  /** Reason codes for the filters of an unsubscription that the broker answered. */
  removed(messageId: number): number[];
  /** Whether the client does not want its own messages on this topic. */
  refusesOwn(topic: string): boolean;
  /** Whether the client does not want retained messages on this topic. */
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
  /** By message id: a filter that was forwarded, or the reason code of one that was not. */
  const requests = new Map<number, { filters: (string | number)[]; forward: Subscription[] }>();
  const removals = new Map<number, number[]>();

  return {
    request({ messageId = 0, properties, subscriptions }) {
      // The broker answers a repeated filter once; the last one counts.
      const forward = new Map<string, Subscription>();
      const requested = subscriptions.map((subscription) => {
        if (properties?.subscriptionIdentifier !== undefined) return NO_IDENTIFIERS;
        if (subscription.topic.startsWith("$share/")) return NO_SHARED;
        forward.set(subscription.topic, subscription);
        return subscription.topic;
      });
      if (forward.size === 0) return { codes: requested.map(Number) };
      requests.set(messageId, { filters: requested, forward: [...forward.values()] });
      return { forward: [...forward.values()].map(({ topic, qos }) => ({ topic, qos })) };
    },
    granted({ messageId = 0, granted }) {
      const request = requests.get(messageId);
      if (!request) return undefined;
      requests.delete(messageId);
      const answers = new Map<string, number>();
      for (const [index, { topic, nl, rh }] of request.forward.entries()) {
        const code = Number(granted[index] ?? FAILED);
        answers.set(topic, code === FAILED ? NOT_AUTHORIZED : code);
        if (code >= FAILED) continue;
        filters.set(topic, { noLocal: nl === true, noRetained: rh === 2 || (rh === 1 && filters.has(topic)) });
      }
      return request.filters.map((one) => (typeof one === "string" ? (answers.get(one) ?? FAILED) : one));
    },
    remove({ messageId = 0, unsubscriptions }) {
      removals.set(
        messageId,
        unsubscriptions.map((topic) => (filters.delete(topic) ? 0 : NO_SUBSCRIPTION)),
      );
    },
    removed(messageId) {
      const codes = removals.get(messageId) ?? [0];
      removals.delete(messageId);
      return codes;
    },
    refusesOwn: (topic) => [...filters].some(([filter, { noLocal }]) => noLocal && matchesFilter(filter, topic)),
    refusesRetained(topic) {
      const matching = [...filters].filter(([filter]) => matchesFilter(filter, topic));
      return matching.length > 0 && matching.every(([, { noRetained }]) => noRetained);
    },
  };
}
