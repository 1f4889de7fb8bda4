// Fills in the two texts of a notification for one channel: the title as plain text in one line, the message in its markup.

import type { Log } from "../../kit/lifecycle/log.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { clean, isBlank } from "../../kit/text/clean-text.ts";
import { localText } from "../../kit/text/formats.ts";
import { createLookup, fillTemplate, type TemplateContext, type TemplateHouse } from "../../kit/text/template.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { beginningOf } from "./beginning.ts";
import { type Channel, type ChannelMessage, type Piece, plainText } from "./channel.ts";
import type { OwnMarkup } from "./markup/dialect.ts";
import { plain } from "./markup/plain-dialects.ts";
import type { AuthorsMarkup } from "./markup/read.ts";
import { showsNothing, type Written, writtenFor } from "./markup/written-for.ts";
import type { GivenOptions } from "./message-options.ts";

/** As a rule passes it on. */
export interface Notification extends GivenOptions {
  channel: string;
  message: string;
  title?: string | undefined;
  /** What the message is written in, for all channels alike; without it, in each channel's own markup. */
  markup?: AuthorsMarkup | undefined;
  /** It is one of several channels that get this message. */
  shared?: boolean | undefined;
  /** Of each text, no more UTF-16 units are sent. */
  longest?: number | undefined;
  /** For the placeholders in both texts. */
  context?: TemplateContext;
}

export interface RendererDeps {
  clock: Clock;
  log: Log;
  house: Pick<TemplateHouse, "device" | "variable">;
  houseTime: (at: number) => string;
  /** IANA name. A function is asked when it is needed. */
  timezone: string | (() => string);
}

export const DEFAULT_TITLE = "Hub Alert";
const NOTHING: TemplateContext = {
  deviceId: undefined,
  trigger: {} satisfies JsonObject,
  vars: {} satisfies JsonObject,
};
const MAX_REMEMBERED = 1000;
const MAX_REPORTED = 10;

export function createRenderer({ clock, log, house, houseTime, timezone }: RendererDeps) {
  const reported = new Set<string>();

  /** Logs one line for all placeholders that were not yet reported for this template. */
  function reportUnknown(template: string, paths: readonly string[]): void {
    const hash = Bun.hash(template);
    const fresh = [...new Set(paths)].filter((path) => !reported.has(`${hash} ${path}`));
    if (fresh.length === 0) return;
    if (reported.size + fresh.length > MAX_REMEMBERED) reported.clear();
    for (const path of fresh) reported.add(`${hash} ${path}`);
    const more = fresh.length - MAX_REPORTED;
    log.warn('a message has placeholders without a value; they become "unknown"', {
      placeholders: fresh.slice(0, MAX_REPORTED).join(", "),
      and_more: more > 0 ? more : undefined,
    });
  }

  /** `spoken`: the own markups of the channels that get this message besides. */
  return function render(
    { title = DEFAULT_TITLE, message, markup, longest = Number.POSITIVE_INFINITY, context = NOTHING }: Notification,
    channel: Pick<Channel, "compose" | "dialect"> = plainText,
    spoken?: ReadonlySet<OwnMarkup>,
  ): Rendered {
    const look = createLookup({ ...house, now: () => houseTime(clock.now()), timezone: named(timezone) }, context);
    const fill = (template: string): Piece[] => {
      const unknown: string[] = [];
      const pieces = fillTemplate(template, look, {
        onUnknown: (source, reason) => unknown.push(reason === undefined ? source : `${source} (${reason})`),
      });
      reportUnknown(template, unknown);
      return beginningOf(pieces, longest).map(cleaned);
    };
    const shownTitle = oneLine(plain.compose(fill(title)));
    const texts = { title: isBlank(shownTitle) ? DEFAULT_TITLE : shownTitle };
    const pieces = fill(message);
    const { dialect } = channel;
    if (!dialect) return { ...texts, message: channel.compose(pieces) };
    const written = writtenFor(dialect, pieces, { markup, shared: spoken });
    return { ...texts, ...(showsNothing(dialect, written) ? inPlaceOfNothing(texts.title, dialect) : written) };
  };
}

/** A message as it is stored and sent, and what its author should know of it. */
export type Rendered = Pick<ChannelMessage, "title" | "message" | "html"> & Pick<Written, "note">;

function inPlaceOfNothing(title: string, dialect: Pick<typeof plain, "compose">): Written {
  return { message: dialect.compose([{ value: title }]), note: "its text was blank: the title was sent in its place" };
}

function cleaned(piece: Piece): Piece {
  return "markup" in piece ? { markup: clean(piece.markup) } : { value: clean(piece.value) };
}

/** Epoch ms as local time, `2026-11-21 14:02`. The zone is an IANA name that was checked before; a function is asked when it is needed. */
export function createHouseTime(timezone: string | (() => string)): (at: number) => string {
  return (at) => localText(at, named(timezone)).datetime;
}

function named(timezone: string | (() => string)): string {
  return typeof timezone === "string" ? timezone : timezone();
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
