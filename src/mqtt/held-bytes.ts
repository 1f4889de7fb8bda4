// What messages take in the broker's store, and payloads of their own.
import type { ShareBounds } from "../core/shares.ts";

/** In whose name the hub itself publishes. */
export const HUB_ACCOUNT = "hub";

export interface Held {
  topic: string;
  payload: Uint8Array | string;
}

export function megabytes(each: number, all: number): ShareBounds {
  return { each: each * 1_048_576, all: all * 1_048_576 };
}

/** `besides`: what the store takes for each, measured. */
export function messageBytes({ topic, payload }: Held, besides: number): number {
  return besides + 2 * topic.length + payload.length;
}

/**
 * A packet's payload is a window into the bytes that came with it from the network: ten bytes that are kept for days would
 * keep up to a megabyte of others.
 */
export function withOwnPayload<P extends Partial<Held>>(packet: P): P {
  const { payload } = packet;
  if (payload === undefined || typeof payload === "string") return packet;
  const own = Buffer.alloc(payload.length);
  own.set(payload);
  return { ...packet, payload: own };
}
