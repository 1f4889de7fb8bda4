// What the hub itself says about a notice: at the end of its messages, and to whoever pressed a button.
import { ACKNOWLEDGE } from "../channel.ts";
import { actionsOf, type Notice } from "./notice.ts";

export type HouseTime = (at: number) => string;

/** The line at the end of every copy of a notice that is over; undefined while it is open. */
export function endLine(notice: Notice, houseTime: HouseTime): string | undefined {
  const { state, end } = notice;
  if (state === "open" || !end) return undefined;
  const at = houseTime(end.at);
  if (state === "acknowledged") return `✅ ${answerWords(notice)}, ${at}`;
  if (state === "restored") return `↩️ Open when the house was restored from a backup, ${at}`;
  return state === "cleared" ? `✔️ No longer so, ${at}` : `⌛ Nobody confirmed this, ${at}`;
}

/** "Confirmed by Anna", "Anna: Close the valve" */
function answerWords(notice: Notice): string {
  const { by = "", action = "" } = notice.end ?? {};
  if (action === ACKNOWLEDGE) return `Confirmed by ${by}`;
  return `${by}: ${actionsOf(notice).find(({ id }) => id === action)?.label ?? action}`;
}

/** To who answered first. */
export const THANKS = "Confirmed. Everybody who was told will see it.";
/** To who answers what the hub does not know (any more). */
export const UNKNOWN = "The hub does not know this message any more.";
export const NO_SUCH_ACTION = "This answer is not possible here.";
export const NOT_SAVED = "The hub could not save your answer. Please try again.";

/** To who answers while the other machine of the house does not have what is changed. */
export const HERE_ALONE = "Done, but the house's second machine does not have it yet. Please do not repeat it.";

/** To who comes too late. */
export function lateWords(notice: Notice, houseTime: HouseTime): string {
  const { state, end } = notice;
  const at = houseTime(end?.at ?? notice.at);
  if (state === "acknowledged") return `Already answered. ${answerWords(notice)}, ${at}.`;
  if (state === "restored") return `Nobody is asked about this any more: the house was restored from a backup, ${at}.`;
  return state === "cleared" ? `This is over since ${at}.` : `Too late: nobody confirmed it until ${at}.`;
}
