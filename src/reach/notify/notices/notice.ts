// A notice: what happened to the house and was reported to people, who can answer it. Its copies in channels are its messages.
import type { JsonObject } from "../../../kit/schema/json.ts";
import { PRIORITIES } from "../../../kit/text/message-words.ts";
import type { GivenOptions, MessageAction } from "../message-options.ts";
import type { Notification } from "../render.ts";

/**
 * `expired`: nobody answered in time. `cleared`: a rule took it back, or said something newer with the same tag. `restored`: it was
 * open in the backup that the house was restored from, and what became of it is not known.
 */
export const NOTICE_STATES = ["open", "acknowledged", "cleared", "expired", "restored"] as const;
export type NoticeState = (typeof NOTICE_STATES)[number];

export interface Notice {
  readonly id: string;
  /** Epoch ms, as the clock showed it. */
  readonly at: number;
  readonly tag: string | undefined;
  /** Filled in, plain, and shortened, as `message`. */
  readonly title: string;
  readonly message: string;
  readonly plan: Plan;
  state: NoticeState;
  /** Steps of the plan that were taken. */
  steps: number;
  /** Epoch ms of the last step, as the clock showed it. */
  stepAt: number;
  /** The last step of which a copy arrived somewhere; 0 before the first. */
  reached: number;
  end: NoticeEnd | undefined;
  /** Epoch ms since when everybody had been asked and nobody had answered. */
  unansweredAt: number | undefined;
  /** False until the event about its last change is surely out. */
  announced: boolean;
}

/** How it ended. */
export interface NoticeEnd {
  /** Epoch ms. */
  readonly at: number;
  /** Who answered, as their service or the hub calls them; empty where nobody did. */
  readonly by: string;
  /** ACKNOWLEDGE or the id of another action; empty where nobody answered. */
  readonly action: string;
  /** Through which channel, or `api`; empty where nobody answered. */
  readonly channel: string;
}

/** What is said to whom and when. On disk as JSON. */
export interface Plan {
  readonly said: NotificationSnapshot;
  /** Names that are notified at the same time, one step after the other. */
  readonly stages: readonly (readonly string[])[];
  /** How often all stages are gone through. */
  readonly rounds: number;
  /** Ms from one step to the next; undefined where there is only one. */
  readonly escalateMs?: number | undefined;
  /** Whether somebody can answer it. */
  readonly answerable: boolean;
}

/** A notification whose placeholders are filled in for good: the values stand in `vars` of its context. It can be kept as JSON. */
export interface NotificationSnapshot extends Omit<Notification, "context" | "channel" | "message"> {
  readonly message: string;
  readonly title: string;
  readonly values: Readonly<JsonObject>;
}

/** A copy of a notice that arrived. */
export interface NoticeMessage {
  readonly channel: string;
  /** What the channel calls it. */
  readonly remote: string;
  /** The notice that it is about now. */
  readonly notice: string;
  /** What it shows of that; empty where it still shows what its tag said before. */
  readonly shows: NoticeState | "";
}

/** For a copy that its service has no name for: it cannot be changed or taken back. */
const UNNAMED = "~";

export function unnamed(message: string): string {
  return UNNAMED + message;
}

export function isNamed({ remote }: Pick<NoticeMessage, "remote">): boolean {
  return !remote.startsWith(UNNAMED);
}

/** What a rule says. */
export interface RaisedNotice extends Omit<Notification, "channel"> {
  /** The names it is addressed to. */
  readonly channels: readonly string[];
  /** After so long without an answer the next name is asked; without it all are notified at once. */
  readonly escalateMs?: number | undefined;
}

/** Whether somebody has to confirm such a message, or may answer it. */
export function isAnswerable({ priority = 0, actions = [] }: GivenOptions, escalateMs?: number): boolean {
  return priority >= PRIORITIES.emergency || actions.length > 0 || escalateMs !== undefined;
}

/** What people can answer is kept until they do, and what has a tag until something newer is said. */
export function isNotice({ escalateMs, ...options }: Omit<RaisedNotice, "channels">): boolean {
  return options.tag !== undefined || isAnswerable(options, escalateMs);
}

/** The buttons of a notice besides the one that confirms. */
export function actionsOf({ plan }: Notice): readonly MessageAction[] {
  return plan.said.actions ?? [];
}
