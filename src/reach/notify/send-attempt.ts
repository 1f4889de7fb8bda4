// One try to send a message through a channel, within a time that starts anew when the service has it.
import type { Fence } from "../../kit/lifecycle/fence.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";
import {
  type Channel,
  type ChannelMessage,
  type Delivery,
  DeliveryError,
  type DeliveryFault,
  type Sending,
} from "./channel.ts";

export type SendResult =
  | { readonly ok: true; readonly delivery: Delivery }
  | { readonly ok: false; readonly reason: string; readonly fault: DeliveryFault };

interface Deadline {
  clock: Clock;
  signal: AbortSignal;
  withinMs: number;
  sending: Sending | undefined;
  fence: Fence | undefined;
}

/** One try. `problem` says why there is no channel. Never rejects. */
export async function attempt(
  { channel, problem }: { readonly channel?: Channel; readonly problem?: string },
  message: ChannelMessage,
  { clock, signal, withinMs, sending, fence }: Deadline,
): Promise<SendResult> {
  if (!channel) {
    return {
      ok: false,
      reason: `the channel is disabled: ${problem}`,
      fault: { transient: false, hint: "Run `hub check`" },
    };
  }
  // It stays in the outbox, which the machine that is the hub now has a copy of.
  const closed = fence?.closed;
  if (closed !== undefined) return { ok: false, reason: closed, fault: { transient: true } };
  const timeout = new AbortController();
  let limitMs = withinMs;
  const limit = () => clock.after("notify-send", limitMs, () => timeout.abort());
  let timer = limit();
  const handedOver = (confirmMs: number): void => {
    timer[Symbol.dispose]();
    limitMs = confirmMs;
    timer = limit();
    sending?.handedOver(confirmMs);
  };
  try {
    const delivery = await channel.send(message, AbortSignal.any([signal, timeout.signal]), { handedOver });
    return { ok: true, delivery };
  } catch (error) {
    const fault = error instanceof DeliveryError ? error.fault : { transient: false };
    const reason = timeout.signal.aborted ? `${messageOf(error)} (${limitMs / 1000} s)` : messageOf(error);
    return { ok: false, reason, fault };
  } finally {
    timer[Symbol.dispose]();
  }
}

/** With what the author should know of the text, where it arrived. */
export function withNote(result: SendResult, note: string | undefined): SendResult {
  if (!result.ok || note === undefined) return result;
  const said = result.delivery.note;
  return { ok: true, delivery: { ...result.delivery, note: said === undefined ? note : `${note}; ${said}` } };
}
