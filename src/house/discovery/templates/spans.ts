// How times and spans of time add up.
import { Duration, isNumber, Moment, numberOf, TemplateError, type Value } from "./values.ts";

const LATEST_MS = 8.64e15;

/** Undefined where they are no times. */
export function plus(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.us + b.us);
  if (a instanceof Moment && b instanceof Duration) return moved(a, b.us);
  if (a instanceof Duration && b instanceof Moment) return moved(b, a.us);
  return undefined;
}

export function minus(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.us - b.us);
  if (a instanceof Moment && b instanceof Duration) return moved(a, -b.us);
  if (!(a instanceof Moment) || !(b instanceof Moment)) return undefined;
  if ((a.offsetMs === undefined) !== (b.offsetMs === undefined) || a.part !== b.part)
    throw new TemplateError("a time with a zone and one without cannot be subtracted");
  return new Duration((a.ms - b.ms) * 1000);
}

export function times(a: Value, b: Value): Value {
  if (a instanceof Duration && isNumber(b)) return new Duration(a.us * numberOf(b));
  if (b instanceof Duration && isNumber(a)) return new Duration(b.us * numberOf(a));
  return undefined;
}

function moved(moment: Moment, us: number): Moment {
  const ms = moment.ms + us / 1000;
  if (!(Math.abs(ms) <= LATEST_MS)) throw new TemplateError("this time is too far away");
  return new Moment(ms, moment.offsetMs, moment.part);
}
