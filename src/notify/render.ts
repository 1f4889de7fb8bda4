// A notification's two texts, filled in for one channel: the title as plain text in one line, the message in its markup.
import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { type Channel, type ChannelMessage, plainText } from "./channel.ts";
import { createLookup, fillTemplate, type TemplateContext, type TemplateHouse } from "./template.ts";

/** As a rule hands it over. */
export interface Notification {
  channel: string;
  message: string;
  title?: string | undefined;
  /** For the placeholders in both texts. */
  context?: TemplateContext;
}

export interface RendererDeps {
  clock: Clock;
  log: Log;
  house: Pick<TemplateHouse, "device" | "variable">;
  houseTime: (at: number) => string;
}

const DEFAULT_TITLE = "Hub Alert";
const NOTHING: TemplateContext = {
  deviceId: undefined,
  trigger: {} satisfies JsonObject,
  vars: {} satisfies JsonObject,
};
const MOST_REMEMBERED = 1000;
const MOST_TOLD = 10;

export function createRenderer({ clock, log, house, houseTime }: RendererDeps) {
  const told = new Set<string>();

  /** One line for all that are new, each once for a template. */
  function tellUnknown(template: string, paths: readonly string[]): void {
    const hash = Bun.hash(template);
    const fresh = [...new Set(paths)].filter((path) => !told.has(`${hash} ${path}`));
    if (fresh.length === 0) return;
    if (told.size + fresh.length > MOST_REMEMBERED) told.clear();
    for (const path of fresh) told.add(`${hash} ${path}`);
    const more = fresh.length - MOST_TOLD;
    log.warn('a message names what is not there; it reads "unknown"', {
      placeholders: fresh.slice(0, MOST_TOLD).join(", "),
      and_more: more > 0 ? more : undefined,
    });
  }

  return function render(
    { title = DEFAULT_TITLE, message, context = NOTHING }: Notification,
    channel: Pick<Channel, "compose"> = plainText,
  ): Pick<ChannelMessage, "title" | "message"> {
    const look = createLookup({ ...house, now: () => houseTime(clock.now()) }, context);
    const fill = (template: string, into: Pick<Channel, "compose">): string => {
      const unknown: string[] = [];
      const pieces = fillTemplate(template, look, (path) => unknown.push(path));
      tellUnknown(template, unknown);
      return into.compose(pieces);
    };
    return { title: oneLine(fill(title, plainText)) || DEFAULT_TITLE, message: fill(message, channel) };
  };
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
