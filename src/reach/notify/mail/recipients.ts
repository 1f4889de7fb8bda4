// What became of a mail's recipients: who has it, who was refused for good, who was put off and is tried again alone.
import { type Delivery, DeliveryError, type Refusal, type Settled } from "../channel.ts";
import { wordsOf } from "../http/web-service.ts";
import type { RejectedRecipient } from "./smtp-session.ts";

const NOBODY: Settled = { reached: [], refused: [] };
const PUT_OFF =
  "Servers put off senders that they do not know yet (greylisting): a rule's message is tried again by itself, for them alone";

/** Who still has to get it, of all addresses of the mail. */
export function unsettled(addresses: readonly string[], { reached, refused }: Settled = NOBODY): string[] {
  return addresses.filter((address) => !reached.includes(address) && !refused.includes(address));
}

export interface RecipientsOutcome {
  /** `mail.example.org:587` */
  readonly place: string;
  /** Who was to get it in this try. */
  readonly to: readonly string[];
  readonly rejected: readonly RejectedRecipient[];
  /** Of earlier tries. */
  readonly before: Settled | undefined;
}

/** Throws a transient DeliveryError while somebody is put off; undefined when nobody has it or ever will. */
export function settle({ place, to, rejected, before = NOBODY }: RecipientsOutcome): Partial<Delivery> | undefined {
  const putOff = rejected.filter(({ responseCode = 0 }) => responseCode < 500);
  const refused = rejected.filter(({ responseCode = 0 }) => responseCode >= 500).map(refusalOf);
  const missed = rejected.map(({ recipient }) => recipient);
  const settled: Settled = {
    reached: [...before.reached, ...to.filter((address) => !missed.includes(address))],
    refused: [...before.refused, ...refused.map(({ recipient }) => recipient)],
  };
  const report = refused.length > 0 ? { refused } : {};
  const [first] = putOff;
  if (first) {
    const words = [
      `put off for ${listed(putOff.map(refusalOf))}`,
      ...(refused.length > 0 ? [`refused for ${listed(refused)}`] : []),
      ...reachedWords(settled),
    ];
    throw new DeliveryError(`${place}: ${words.join("; ")}`, {
      transient: true,
      // Others of the channel need not wait for it.
      mayBeTheMessage: settled.reached.length > 0,
      hint: PUT_OFF,
      ...(first.responseCode !== undefined && { status: first.responseCode }),
      answer: wordsOf(first.response ?? ""),
      settled,
      ...report,
    });
  }
  if (settled.reached.length === 0) return undefined;
  return refused.length > 0 ? { ...report, note: `not delivered to ${listed(refused)}` } : {};
}

function refusalOf({ recipient = "a recipient", response = "" }: RejectedRecipient): Refusal {
  return { recipient, answer: wordsOf(response) };
}

function listed(refusals: readonly Refusal[]): string {
  return refusals.map(({ recipient, answer }) => `${recipient} (${answer})`).join(", ");
}

function reachedWords({ reached }: Settled): string[] {
  return reached.length > 0 ? [`${reached.join(", ")} ${reached.length > 1 ? "have" : "has"} it`] : [];
}
