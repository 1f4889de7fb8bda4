// Splits an iCalendar text into its events and time zones, so that one that cannot be read does not take the others along.
import ICAL from "ical.js";

export interface Components {
  events: ICAL.Component[];
  zones: Map<string, ICAL.Timezone>;
  /** How many could not be read. */
  broken: number;
}

/** Undefined where the text is no calendar. */
export function componentsOf(text: string): Components | undefined {
  if (!/^\uFEFF?\s*BEGIN:VCALENDAR/i.test(text)) return undefined;
  const found: Components = { events: [], zones: new Map(), broken: 0 };
  for (const block of blocksIn(text, ["VEVENT", "VTIMEZONE"])) {
    try {
      const component = new ICAL.Component(ICAL.parse(block));
      if (component.name === "vevent") found.events.push(component);
      else addZone(found, component);
    } catch {
      found.broken++;
    }
  }
  return found;
}

function addZone({ zones }: Components, component: ICAL.Component): void {
  const rules = component.getAllSubcomponents();
  if (!rules.some((rule) => rule.hasProperty("tzoffsetto") && rule.hasProperty("dtstart")))
    throw new TypeError("a time zone without rules");
  const zone = new ICAL.Timezone(component);
  // A broken one throws only when it is used.
  zone.utcOffset(ICAL.Time.fromData({ year: 2026, month: 1, day: 1, hour: 0, minute: 0, second: 0 }));
  if (zone.tzid) zones.set(zone.tzid, zone);
}

/** The texts from BEGIN to END of the components of these names. */
function* blocksIn(text: string, names: readonly string[]): Generator<string> {
  const edge = new RegExp(`^(BEGIN|END):(${names.join("|")})[ \\t]*\\r?$`, "gim");
  let from: number | undefined;
  for (const { index, 0: line, 1: word } of text.matchAll(edge)) {
    if (word?.toUpperCase() === "BEGIN") from = index;
    else if (from !== undefined) {
      yield text.slice(from, index + line.length);
      from = undefined;
    }
  }
}
