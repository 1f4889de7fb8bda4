// Fills in the placeholders of a notification once, for all channels and all later times: the next person gets the same text in
// an hour, after a restart, when the rule's run is over.
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import {
  createLookup,
  fillTemplate,
  type Piece,
  type TemplateContext,
  type TemplateHouse,
} from "../../../kit/text/template.ts";
import { beginningOf } from "../beginning.ts";
import type { Unaddressed } from "../messenger.ts";
import type { NotificationSnapshot } from "./notice.ts";

export interface SnapshotDeps {
  readonly log: Log;
  readonly house: TemplateHouse;
}

const NOTHING: TemplateContext = { deviceId: undefined, trigger: {}, vars: {} };
const DEFAULT_TITLE = "Hub Alert";

export interface Snapshot {
  readonly said: NotificationSnapshot;
  /** Both texts with the author's markup and plain values, for lists and events. */
  readonly title: string;
  readonly message: string;
}

/**
 * The author's markup stays as it is; each placeholder becomes one that names the value it had. Of each text, at most `longest` UTF-16
 * units are kept.
 */
export function takeSnapshot(
  { context = NOTHING, ...given }: Unaddressed,
  { log, house }: SnapshotDeps,
  longest = Number.POSITIVE_INFINITY,
): Snapshot {
  const { title = DEFAULT_TITLE, message } = given;
  const look = createLookup(house, context);
  const unknown: string[] = [];
  const filling = { onUnknown: (source: string) => void unknown.push(source) };
  const values: JsonObject = {};
  const [titled, texted] = [title, message].map((text) => beginningOf(fillTemplate(text, look, filling), longest));
  const withPlaceholders = (pieces: readonly Piece[] = []): string =>
    pieces.map((piece) => ("markup" in piece ? piece.markup : placeholderFor(piece.value, values))).join("");
  const said = { ...given, title: withPlaceholders(titled), message: withPlaceholders(texted), values };
  if (unknown.length > 0)
    log.warn('a message has placeholders without a value; they become "unknown"', {
      placeholders: [...new Set(unknown)].slice(0, 10).join(", "),
    });
  return { said, title: plain(titled), message: plain(texted) };
}

/** As channels render it. */
export function fromSnapshot({ values, ...said }: NotificationSnapshot): Unaddressed {
  return { ...said, context: { deviceId: undefined, trigger: {}, vars: values } };
}

function placeholderFor(value: string, values: JsonObject): string {
  const name = `v${Object.keys(values).length}`;
  values[name] = value;
  return `{{vars.${name}}}`;
}

function plain(pieces: readonly Piece[] = []): string {
  return pieces.map((piece) => ("markup" in piece ? piece.markup : piece.value)).join("");
}
