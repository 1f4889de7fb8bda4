// Where covers and valves are that know no position: at one end or the other, by what they say of themselves and by what they were
// reported; and sending them there.
import type { Json } from "../../../../kit/schema/json.ts";
import { type Conversion, wrong } from "../../words.ts";
import type { Commanded, Options, SharedWord } from "./entity.ts";

/** Payloads, as they are announced. */
export interface EndPayloads {
  open?: string | undefined;
  close?: string | undefined;
}

/** The word `position`, 0 or 100, of what is called `name`. */
export function endsWord(
  options: Options,
  { name, commanded, payloads }: { name: string; commanded: Commanded | undefined; payloads: EndPayloads },
): SharedWord {
  const { open, close } = payloads;
  const isCommanded = commanded !== undefined && open !== undefined && close !== undefined;
  const toEnd = (value: Json, called: string): Json => {
    if (value !== 0 && value !== 100) throw wrong(called, "must be 0 (closed) or 100 (open): it knows nothing between");
    return (value === 100 ? open : close) ?? null;
  };
  return {
    word: "position",
    conversion: {
      attribute: { type: "number", unit: "%", min: 0, max: 100, step: 100, writable: isCommanded },
      from: endOf(options, payloads),
      to: toEnd,
    },
    ...(isCommanded && {
      assumes: (value) => toEnd(value, "position"),
      commanded: { write: ({ position = null }) => commanded.write({ [name]: toEnd(position, "position") }) },
    }),
  };
}

/**
 * At the end that it reports. One that never says that it is closed has come to its end when it stops; one that does, and stops on
 * its way down, is somewhere between, and nobody knows where.
 */
function endOf(options: Options, { open, close }: EndPayloads): Conversion["from"] {
  const state = (key: string): string => options.text(`state_${key}`) ?? key;
  const stop = options.text("payload_stop") ?? "STOP";
  const [opened, closed, opening, closing, stopped] = ["open", "closed", "opening", "closing", "stopped"].map(state);
  let last: "up" | "down" | undefined;
  let saysClosed = false;
  return (value) => {
    const said = String(value);
    if (said === closed) saysClosed = true;
    if (said === opening) last = "up";
    else if (said === closing) last = "down";
    else if (said === opened || said === open || said === "open") {
      last = "up";
      return 100;
    } else if (said === closed || said === close || said === "close") {
      last = "down";
      return 0;
    } else if (said === stopped) return last === undefined ? undefined : last === "up" ? 100 : saysClosed ? null : 0;
    // Of one that says nothing: commanded to stop, it is somewhere.
    else if (said === stop || said === "stop") return null;
    return undefined;
  };
}
