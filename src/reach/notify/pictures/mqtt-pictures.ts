// Pictures that cameras publish over MQTT: the next one on the topic, else the one that is retained there.
import { HubError } from "../../../kit/schema/errors.ts";
import { readPicture } from "../../../kit/text/picture-type.ts";

export interface TopicListeners {
  /** Notified of each message outside the hub's own topics. */
  receive(topic: string, payload: Uint8Array): void;
  /** The next picture on this topic, a copy; undefined when the signal aborts. */
  next(topic: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

export function createTopicListeners(): TopicListeners {
  const waiting = new Map<string, Set<(payload: Uint8Array) => void>>();
  return {
    receive(topic, payload) {
      for (const listener of waiting.get(topic) ?? []) listener(payload);
    },
    next(topic, signal) {
      const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
      const listeners = waiting.get(topic) ?? new Set();
      waiting.set(topic, listeners);
      const end = (bytes?: Uint8Array): void => {
        listeners.delete(listener);
        if (listeners.size === 0 && waiting.get(topic) === listeners) waiting.delete(topic);
        signal.removeEventListener("abort", cancel);
        resolve(bytes);
      };
      const cancel = (): void => end();
      const listener = (payload: Uint8Array): void => {
        const bytes = pictureBytes(payload);
        if (bytes) end(bytes);
      };
      listeners.add(listener);
      signal.addEventListener("abort", cancel, { once: true });
      if (signal.aborted) cancel();
      return promise;
    },
  };
}

export interface MqttPictureDeps {
  listeners: Pick<TopicListeners, "next">;
  /** The message that is retained on the topic. */
  retained: (topic: string) => Uint8Array | undefined;
}

/** `soon` is when a retained picture is no longer waited on for a newer one. Throws HubError. */
export async function nextPicture(
  topic: string,
  { listeners, retained }: MqttPictureDeps,
  { signal, soon }: { signal: AbortSignal; soon: Promise<unknown> },
): Promise<Uint8Array> {
  const next = listeners.next(topic, signal);
  const kept = soon.then(() => {
    const payload = retained(topic);
    return (payload && pictureBytes(payload)) ?? next;
  });
  const bytes = await Promise.race([next, kept]);
  if (bytes) return bytes;
  throw new HubError("upstream_failed", `no picture came on the topic ${topic}`);
}

/** A copy, decoded where it is base64; undefined for what is no picture or too large. */
function pictureBytes(payload: Uint8Array): Uint8Array | undefined {
  const read = readPicture(payload);
  return "problem" in read ? undefined : read.bytes;
}
