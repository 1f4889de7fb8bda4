// What became of a command, for who waits for it: a person at the API, an assistant. Rules send and go on.
import { type Static, Type } from "@sinclair/typebox";
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { CommandAnswer } from "./command-watch.ts";

/** What devices answer within the second that a person waits. */
const ANSWER_MS = 1000;

export type Outcome = CommandAnswer | { outcome: "sent" };

/** A command that was sent. */
export interface Delivered {
  correlationId: string;
  /** What became of it, after a second at most. */
  outcome: () => Promise<Outcome>;
}

/** In an answer of the API. A refused command is an error instead. */
export const CommandOutcome = {
  outcome: Type.Union([Type.Literal("accepted"), Type.Literal("sent"), Type.Literal("not_connected")], {
    description:
      "accepted: the device's side took it, or reported what was wanted; sent: nothing was heard of it within a second; not_connected: nobody was there to take it",
  }),
  message: Type.Optional(Type.String({ description: "Why nobody took it" })),
};
export type TakenOutcome = Static<ReturnType<typeof Type.Object<typeof CommandOutcome>>>;

/** Of a device that has a plugin. `answer`: resolves with its answer, if one comes. */
export async function outcomeOf(answer: Promise<CommandAnswer>, clock: Clock): Promise<Outcome> {
  return (await within(clock, ANSWER_MS, "command outcome", answer)) ? answer : { outcome: "sent" };
}

/** Of a device of the hub's own, which did what it was commanded; of a group, as its members did. */
export async function outcomeOfAll(members: readonly (readonly [id: string, Delivered])[]): Promise<Outcome> {
  const all = await Promise.all(members.map(async ([id, { outcome }]) => ({ id, became: await outcome() })));
  const wordsOf = (wanted: Outcome["outcome"]): string =>
    all
      .flatMap(({ id, became }) =>
        became.outcome === wanted && "message" in became ? [`"${id}": ${became.message}`] : [],
      )
      .join("; ");
  const [refused, missed] = [wordsOf("refused"), wordsOf("not_connected")];
  if (refused !== "") return { outcome: "refused", message: refused };
  if (missed !== "") return { outcome: "not_connected", message: missed };
  return { outcome: all.some(({ became }) => became.outcome === "sent") ? "sent" : "accepted" };
}

/** Throws HubError `conflict` with the device's own words, as `worded` puts them, where its side refused. */
export async function taken(
  { correlationId, outcome }: Delivered,
  worded: (message: string) => string = (message) => message,
): Promise<TakenOutcome> {
  const became = await outcome();
  if (became.outcome !== "refused") return became;
  throw new HubError("conflict", `the device refused the command: ${worded(became.message)}`, {
    details: { correlation_id: correlationId },
  });
}
