// Sends one message as one mail to those of its recipients that do not have it yet.
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import type { Fence } from "../../../kit/lifecycle/fence.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type ChannelMessage, type Delivery, DeliveryError, type Sending } from "../channel.ts";
import { wordsOf } from "../http/web-service.ts";
import { sendOrPlain, sendOrWithoutPicture } from "../last-try.ts";
import { plain } from "../markup/plain-dialects.ts";
import { composeMail, type MailFrame } from "./compose-mail.ts";
import { settle, unsettled } from "./recipients.ts";
import { type SmtpPlace, smtpFailure } from "./smtp-failure.ts";
import { type RejectedRecipient, runSession, type SmtpAnswer } from "./smtp-session.ts";

/** RFC 5321, 4.5.3.2.6: a server may take this long to confirm a mail, and one that is cut off earlier may come twice. */
const CONFIRM_MS = 10 * 60_000;
const MAX_LAST_TEXT = 10_000;

export interface Mailing extends MailFrame {
  readonly place: SmtpPlace;
  readonly options: SMTPConnectionOptions;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  readonly fence?: Fence | undefined;
}

/** Refused for good after it was handed over: for what is in it. */
class RefusedContent extends DeliveryError {}

export interface MailSending {
  readonly signal: AbortSignal;
  readonly sending: Sending | undefined;
  readonly log: Log;
}

/** Throws DeliveryError. */
export function sendMail(mailing: Mailing, message: ChannelMessage, how: MailSending): Promise<Delivery> {
  const { log } = how;
  const isAboutContent = (error: DeliveryError): boolean => error instanceof RefusedContent;
  const once = (one: ChannelMessage) => sendOnce(mailing, one, how);
  return sendOrPlain(message, {
    ...{ log, isAboutContent, longest: MAX_LAST_TEXT, dialect: plain, always: true },
    send: (one) => sendOrWithoutPicture(one, { log, isAboutContent, send: once }),
    sendPlain: ({ picture: _, ...one }) => sendOnce({ ...mailing, plainOnly: true }, one, how),
  });
}

async function sendOnce(
  mailing: Mailing,
  message: ChannelMessage,
  { signal, sending }: MailSending,
): Promise<Delivery> {
  const { place, options, login, fence } = mailing;
  const where = `${place.host}:${place.port}`;
  const mail = composeMail(mailing, message);
  const { from, to: everybody } = mail.getEnvelope();
  const to = unsettled(everybody, message.settled);
  if (to.length === 0) return { answer: "all recipients were settled in an earlier try", parts: 0 };
  let handedOver = false;
  const session = {
    // Of silence. Everything before the final dot is limited by the signal.
    options: { ...options, socketTimeout: CONFIRM_MS + 5000 },
    ...{ fence, login, from: from || mailing.from.address, to, mail: mail.createReadStream() },
    handedOver() {
      handedOver = true;
      sending?.handedOver(CONFIRM_MS);
    },
  };
  const outcome = (rejected: readonly RejectedRecipient[]) =>
    settle({ place: where, to, rejected, before: message.settled });
  try {
    const answer = await runSession(session, signal);
    return deliveryOf(answer, outcome(answer.rejected));
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    if (signal.aborted) throw cutOff(where, handedOver);
    if (fence?.closed !== undefined) throw new DeliveryError(fence.closed, { transient: true });
    const { rejectedErrors = [] } = (error ?? {}) as { rejectedErrors?: RejectedRecipient[] };
    const settled = rejectedErrors.length > 0 ? outcome(rejectedErrors) : undefined;
    if (settled) return { answer: wordsOf(rejectedErrors.at(-1)?.response ?? ""), parts: 0, ...settled };
    const failure = smtpFailure(error, place);
    throw isRefusedContent(error) ? new RefusedContent(failure.message, failure.fault) : failure;
  }
}

/** nodemailer says so of the answer to the final dot. */
function isRefusedContent(error: unknown): boolean {
  const { code, responseCode = 0 } = (error ?? {}) as { code?: string; responseCode?: number };
  return code === "EMESSAGE" && responseCode >= 500;
}

function cutOff(where: string, handedOver: boolean): DeliveryError {
  const what = handedOver ? "did not confirm the mail, which may have arrived" : "did not answer in time";
  return new DeliveryError(`${where} ${what}`, { transient: true });
}

function deliveryOf({ response, withoutLogin }: SmtpAnswer, settled: Partial<Delivery> = {}): Delivery {
  const status = Number.parseInt(response, 10);
  const notes = [settled.note, withoutLogin && WITHOUT_LOGIN].filter((note) => !!note);
  return {
    ...(status > 0 && { status }),
    answer: wordsOf(response),
    parts: 1,
    ...settled,
    ...(notes.length > 0 && { note: notes.join("; ") }),
  };
}

const WITHOUT_LOGIN =
  "the server offers no login (AUTH) here, so the mail was sent without: leave smtp.username empty, or use the server's port for submission (587 or 465)";
