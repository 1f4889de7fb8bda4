// What the refusal of a service on the web means: whether a later try may succeed, and when.
import type { Clock } from "../../../kit/time/clock.ts";
import { DeliveryError } from "../channel.ts";
import type { PostAnswer } from "./web-service.ts";

export interface Refusal {
  /** What messages call the server. */
  service: string;
  clock: Clock;
  /** The server's own words; the beginning of its answer when absent. */
  words?: string | undefined;
  hint?: string | undefined;
  /** The pause that its body asks for, in ms; a `Retry-After` header goes before it. */
  retryAfterMs?: number | undefined;
}

// Asked too often (429) or too early (425), and a request that came too slowly: another try may get through.
const LATER = new Set([408, 425, 429]);

/** The failure that an answer stands for. Busy and failing servers are asked again; any other refusal is final. */
export function refusalOf(answer: PostAnswer, { service, clock, hint, ...asked }: Refusal): DeliveryError {
  const { status, headers } = answer;
  const words = asked.words || answer.words || `status ${status}`;
  const retryAfterMs = retryAfter(headers, clock) ?? asked.retryAfterMs;
  const said = { status, answer: words, ...(hint && { hint }) };
  if (!LATER.has(status) && status < 500)
    return new DeliveryError(`${service} refused the message: ${words}`, { ...said, transient: false });
  const fault = { ...said, transient: true, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (status >= 500) return new DeliveryError(`${service} has an error: ${words}`, { ...fault, mayBeTheMessage: true });
  const pause = retryAfterMs === undefined ? "" : `, asks for a pause of ${Math.ceil(retryAfterMs / 1000)} s`;
  return new DeliveryError(`${service} is busy${pause}: ${words}`, fault);
}

/** RFC 9110: seconds, or a date. In ms; undefined where it says nothing usable. */
function retryAfter(headers: Headers, clock: Clock): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - clock.now();
  return ms > 0 ? ms : undefined;
}
