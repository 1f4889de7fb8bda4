// Fills in the two texts of a notification for one channel: the title as plain text in one line, the message in its markup.
import type { Clock } from "../core/clock.ts";
import { localText } from "../core/formats.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { createLookup, fillTemplate, type TemplateContext, type TemplateHouse } from "../core/template.ts";
import { type Channel, type ChannelMessage, type MessageOptions, plainText } from "./channel.ts";

/** As a rule passes it on. */
export interface Notification {
  channel: string;
  message: string;
  title?: string | undefined;
  /** See MessageOptions in channel.ts. */
  priority?: number | undefined;
  silent?: boolean | undefined;
  tag?: string | undefined;
  /** For the placeholders in both texts. */
  context?: TemplateContext;
}

export interface RendererDeps {
  clock: Clock;
  log: Log;
  house: Pick<TemplateHouse, "device" | "variable">;
  houseTime: (at: number) => string;
  /** IANA name. */
  timezone: string;
}

const DEFAULT_TITLE = "Hub Alert";
const NOTHING: TemplateContext = {
  deviceId: undefined,
  trigger: {} satisfies JsonObject,
  vars: {} satisfies JsonObject,
};
const MOST_REMEMBERED = 1000;
const MOST_REPORTED = 10;

export function createRenderer({ clock, log, house, houseTime, timezone }: RendererDeps) {
  const reported = new Set<string>();

  /** Logs one line for all placeholders that were not yet reported for this template. */
  function reportUnknown(template: string, paths: readonly string[]): void {
    const hash = Bun.hash(template);
    const fresh = [...new Set(paths)].filter((path) => !reported.has(`${hash} ${path}`));
    if (fresh.length === 0) return;
    if (reported.size + fresh.length > MOST_REMEMBERED) reported.clear();
    for (const path of fresh) reported.add(`${hash} ${path}`);
    const more = fresh.length - MOST_REPORTED;
    log.warn('a message has placeholders without a value; they become "unknown"', {
      placeholders: fresh.slice(0, MOST_REPORTED).join(", "),
      and_more: more > 0 ? more : undefined,
    });
  }

  return function render(
    { title = DEFAULT_TITLE, message, context = NOTHING }: Notification,
    channel: Pick<Channel, "compose"> = plainText,
  ): Pick<ChannelMessage, "title" | "message"> {
    const look = createLookup({ ...house, now: () => houseTime(clock.now()), timezone }, context);
    const fill = (template: string, into: Pick<Channel, "compose">): string => {
      const unknown: string[] = [];
      const pieces = fillTemplate(template, look, {
        onUnknown: (source, reason) => unknown.push(reason === undefined ? source : `${source} (${reason})`),
      });
      reportUnknown(template, unknown);
      return into.compose(pieces);
    };
    return { title: oneLine(fill(title, plainText)) || DEFAULT_TITLE, message: fill(message, channel) };
  };
}

/** Only those that are given. */
export function optionsOf({ priority, silent, tag }: Pick<Notification, keyof MessageOptions>): MessageOptions {
  return {
    ...(priority !== undefined && { priority }),
    ...(silent !== undefined && { silent }),
    ...(tag !== undefined && { tag }),
  };
}

/** Epoch ms as local time, `2026-11-21 14:02`. The zone is an IANA name that was checked before. */
export function createHouseTime(timezone: string): (at: number) => string {
  return (at) => localText(at, timezone).datetime;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
