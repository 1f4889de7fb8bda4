// Emergencies of Pushover: it sounds until somebody confirms, and says by a receipt who did. The hub asks for open receipts, and ends
// the sounding when somebody confirmed elsewhere.

import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { isObject, type JsonObject, parseJson } from "../../../kit/schema/json.ts";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import {
  ACKNOWLEDGE,
  type Channel,
  type ChannelMessage,
  type Delivery,
  DeliveryError,
  type Inbox,
} from "../channel.ts";
import { answerText } from "../http/answer-text.ts";
import { type PostAnswer, post } from "../http/web-service.ts";

export interface ReceiptsDeps {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** Throws DeliveryError unless the server says that it did what it was asked. */
  readonly check: (answer: PostAnswer) => Delivery;
}

const SERVICE = "the Pushover server";
/** Pushover allows one question in five seconds. */
const ASK_EVERY_MS = 5000;
const ASK_WITHIN_MS = 20_000;
const MAX_PAUSE_MS = 5 * 60_000;
const RECEIPT = /^[A-Za-z0-9]{1,64}$/;
const TAG = "notice_";

/** All emergencies of a notice can be ended together, also one that arrived twice. */
export function tagOf({ notice }: ChannelMessage): { tags?: string } {
  return notice === undefined ? {} : { tags: `${TAG}${notice}` };
}

/** The name of an emergency: its notice and its receipt. */
export function receiptIn(json: JsonObject | undefined, { notice }: ChannelMessage): { remote?: string } {
  const receipt = json?.receipt;
  if (notice === undefined || typeof receipt !== "string" || !RECEIPT.test(receipt)) return {};
  return { remote: `${notice}/${receipt}` };
}

export function connectReceipts(
  { base, token }: { base: string; token: string },
  { fetch, clock, log, check }: ReceiptsDeps,
): Pick<Channel, "remove" | "listen"> {
  async function question(receipt: string, signal: AbortSignal): Promise<JsonObject> {
    const late = new AbortController();
    using _timer = clock.after("pushover-receipt", ASK_WITHIN_MS, () => late.abort());
    const response = await fetch(`${base}/1/receipts/${receipt}.json?${new URLSearchParams({ token })}`, {
      redirect: "manual",
      signal: AbortSignal.any([signal, late.signal]),
    });
    const read = parseJson(await answerText(response));
    const json = read.ok && isObject(read.value) ? read.value : {};
    if (response.status === 200 && json.status === 1) return json;
    const { status } = response;
    const transient = status === 429 || status >= 500 || status < 400;
    throw new DeliveryError(`${SERVICE} does not know the receipt (status ${status})`, { transient, status });
  }

  async function ask(inbox: Inbox, signal: AbortSignal): Promise<void> {
    /** Receipts that nobody can confirm any more. */
    const over = new Set<string>();
    let failures = 0;
    while (!signal.aborted) {
      const open = inbox.waiting().filter((remote) => !over.has(remote));
      for (const known of over) if (!inbox.waiting().includes(known)) over.delete(known);
      // With several, each is asked for in turn, and no more often.
      for (const remote of open.length > 0 ? open : [""]) {
        const pauseMs = Math.min(MAX_PAUSE_MS, ASK_EVERY_MS * 2 ** Math.min(failures, 10));
        if (!(await sleep(clock, "pushover-receipts", pauseMs, signal))) return;
        if (remote === "" || !inbox.waiting().includes(remote)) continue;
        failures = await look(remote, inbox, { signal, over }).then(
          () => 0,
          (error: unknown) => failed(error, remote, { signal, over, failures }),
        );
      }
    }
  }

  async function look(remote: string, inbox: Inbox, { signal, over }: Asking): Promise<void> {
    const [, receipt = ""] = remote.split("/");
    const { acknowledged, expired, acknowledged_by_device: device } = await question(receipt, signal);
    if (acknowledged === 1) {
      const by = typeof device === "string" && device !== "" ? device : "Pushover";
      await inbox.answered({ remote, action: ACKNOWLEDGE, by });
    }
    if (acknowledged === 1 || expired === 1) over.add(remote);
  }

  function failed(error: unknown, remote: string, { signal, over, failures }: Asking & { failures: number }): number {
    if (signal.aborted) return failures;
    // What fetch throws contains the address, and so the token.
    const known = error instanceof DeliveryError;
    if (failures === 0) log.warn(known ? messageOf(error) : `no answer from ${SERVICE} about a receipt`);
    if (known && !error.fault.transient) over.add(remote);
    return failures + 1;
  }

  return {
    async remove(remote, signal) {
      const [notice = ""] = remote.split("/");
      const url = `${base}/1/receipts/cancel_by_tag/${TAG}${notice}.json`;
      const body = new URLSearchParams({ token }).toString();
      const request = { url, contentType: "application/x-www-form-urlencoded", body, service: SERVICE };
      check(await post(fetch, request, signal));
    },
    listen(inbox) {
      const ending = new AbortController();
      const asking = ask(inbox, ending.signal);
      return {
        async [Symbol.asyncDispose]() {
          ending.abort();
          await asking;
        },
      };
    },
  };
}

interface Asking {
  readonly signal: AbortSignal;
  readonly over: Set<string>;
}
