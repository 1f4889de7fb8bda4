// How a message should arrive, besides its texts: what a rule gives with it, what is kept on disk, and when two are the same.
import { isObject, parseJson } from "../../kit/schema/json.ts";
import { PRIORITIES } from "../../kit/text/message-words.ts";

/** How it should arrive, as far as the channel can do so. */
export interface MessageOptions {
  /** From -2 (silent) to 2 (emergency), instead of the channel's own. */
  readonly priority?: number;
  /** Without a sound. */
  readonly silent?: boolean;
  /** What it is about: it takes the place of the last one with this tag. */
  readonly tag?: string;
  /** The notice it belongs to, which somebody has to confirm or may answer. The same for all channels that got it. */
  readonly notice?: string;
  /** That notice can be answered: the message has a button that confirms, where the channel has buttons. */
  readonly answerable?: boolean;
  /** Buttons under it, besides the one that confirms. */
  readonly actions?: readonly MessageAction[];
  /** Where its picture comes from: `device:ID`, `mqtt:TOPIC` or a path under HUB_HOME. */
  readonly image?: string;
  /** The id of the rule that sent it. */
  readonly rule?: string;
}

/** Which messages go first: emergencies (2), then what is important (1), then all others in their order. */
export type Rank = 0 | 1 | 2;

export function rankOf({ priority = 0 }: Pick<GivenOptions, "priority">): Rank {
  if (priority >= PRIORITIES.emergency) return 2;
  return priority >= PRIORITIES.high ? 1 : 0;
}

/** Of copies of one message in several channels, of which one is to arrive: see outbox/relays.ts. */
export interface Relay {
  /** The same for all copies. */
  readonly id: string;
  /** From 0, in the order of the person's channels. */
  readonly position: number;
}

/** A button of a message. */
export interface MessageAction {
  /** As rules know it: `notification_acknowledged` names it. */
  readonly id: string;
  /** What it says. */
  readonly label: string;
}

/** As callers give them: what is undefined counts as absent. */
export type GivenOptions = { readonly [K in keyof MessageOptions]?: MessageOptions[K] | undefined };

/** Only those that are given. */
export function optionsOf(given: GivenOptions): MessageOptions {
  const { priority, silent, tag, notice, answerable, actions, image, rule } = given;
  return {
    ...(priority !== undefined && { priority }),
    ...(silent !== undefined && { silent }),
    ...(tag !== undefined && { tag }),
    ...(notice !== undefined && { notice }),
    ...(answerable !== undefined && { answerable }),
    ...(actions !== undefined && { actions }),
    ...(image !== undefined && { image }),
    ...(rule !== undefined && { rule }),
  };
}

/** Equal for two messages that should arrive in the same way, whoever sent them. */
export function keyOf(options: GivenOptions): string {
  return JSON.stringify(optionsOf({ ...options, rule: undefined }));
}

/** As they are on disk; what is not readable is left out. */
export function readOptions(text: string): MessageOptions {
  const read = parseJson(text);
  if (!read.ok || !isObject(read.value)) return {};
  const { priority, silent, tag, notice, answerable, actions, image, rule } = read.value;
  return optionsOf({
    priority: typeof priority === "number" ? priority : undefined,
    silent: typeof silent === "boolean" ? silent : undefined,
    tag: typeof tag === "string" ? tag : undefined,
    notice: typeof notice === "string" ? notice : undefined,
    answerable: typeof answerable === "boolean" ? answerable : undefined,
    actions: Array.isArray(actions) ? actions.flatMap(actionIn) : undefined,
    image: typeof image === "string" ? image : undefined,
    rule: typeof rule === "string" ? rule : undefined,
  });
}

function actionIn(value: unknown): MessageAction[] {
  if (!isObject(value)) return [];
  const { id, label } = value;
  return typeof id === "string" && typeof label === "string" ? [{ id, label }] : [];
}
