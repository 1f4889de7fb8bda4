// Values that homeCore's people write into rules of ours by habit, and that never occur here. For `hub check`.
import { TIMER_STATES } from "./timer-words.ts";

export interface OtherWord {
  /** Of the device. */
  readonly deviceType: string;
  readonly attribute: string;
  /** What never occurs. */
  readonly value: string;
  /** What is meant. */
  readonly meant: string;
}

/** In rules of our own: those of homeCore are translated. */
export const OTHER_WORDS: readonly OtherWord[] = [...TIMER_STATES].map(([value, meant]) => ({
  deviceType: "timer",
  attribute: "state",
  value,
  meant,
}));
