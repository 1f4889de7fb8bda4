// Valves and locks.
import { isObject, type Json } from "../../../../../kit/schema/json.ts";
import { type Conversion, SAME, wrong } from "../../../words.ts";
import { booleanOf, type Commanded, type DescribedAttribute, type Options, onOff, type Reading } from "../entity.ts";
import { inOwnWord, nameOf, switchName } from "../naming/names.ts";
import { valueAs } from "../several.ts";
import { boundsOf, commandOf, endsOf, keyOr, positionOf } from "./cover.ts";
import { moving } from "./moving.ts";
import { attributeOf, type Component } from "./simple.ts";

const COMMAND = { topic: "command_topic", template: "command_template" };

export const valve: Component = (options) => {
  const state = options.reading("state_topic", "value_template");
  const isPositioned = options.is("reports_position");
  const found = isPositioned ? positioned(options) : openOrNot(options, state);
  const of = found[0]?.attribute.name ?? "state";
  const said = state && (isPositioned ? settled(state) : keyOr(state, "state"));
  return said ? [...found, moving(options, [said], { of })] : found;
};

/** At its ends, a valve that says no more has stopped. */
function settled(state: Reading): Reading {
  const [said, position] = [keyOr(state, "state"), keyOr(state, "position")];
  return {
    ...state,
    read(message) {
      const now = said.read(message);
      const at = Number(position.read(message));
      return typeof now === "string" && Number.isNaN(Number(now))
        ? now
        : at === 0 || at === 100
          ? "stopped"
          : undefined;
    },
  };
}

function openOrNot(options: Options, state: Reading | undefined): DescribedAttribute[] {
  const name = switchName(nameOf(options, state));
  const [open, close] = [options.text("payload_open") ?? "OPEN", options.text("payload_close") ?? "CLOSE"];
  const [isOpen, isClosed] = [options.text("state_open") ?? "open", options.text("state_closed") ?? "closed"];
  const commanded = options.commanded(name, COMMAND, onOff(name, open, close));
  const readings = [state && booleanOf(keyOr(state, "state"), isOpen, isClosed)];
  const one = inOwnWord(attributeOf(options, { name, type: "boolean" }, { readings, commanded }));
  return [
    {
      ...one,
      also: [
        ...(one.also ?? []),
        { word: "position", conversion: ENDS },
        ...commandEnds(options, { name, commanded, open: true, close: false }),
      ],
    },
    ...stop(options),
  ];
}

/** Of a valve that is open or closed. */
const ENDS: Conversion = {
  attribute: { type: "number", unit: "%", min: 0, max: 100, step: 100 },
  from: (value) => (typeof value === "boolean" ? (value ? 100 : 0) : undefined),
  to(value, name) {
    if (value !== 0 && value !== 100) throw wrong(name, "must be 0 (closed) or 100 (open): it knows nothing between");
    return value === 100;
  },
};

/** `open`, `close`: what its own attribute is then. */
function commandEnds(
  options: Options,
  { name, commanded, ...ends }: { name: string; commanded: Commanded | undefined; open: Json; close: Json },
) {
  if (!commanded) return [];
  const payload = options.text("payload_stop");
  const names = ["open", "close", ...(payload === undefined ? [] : ["stop"])];
  const stopping = options.commanded(name, COMMAND, () => payload ?? null);
  const whole: Commanded = {
    write: ({ [name]: wanted }) =>
      wanted === "stop"
        ? (stopping?.write({ [name]: wanted }) ?? [])
        : commanded.write({ [name]: ends[wanted as "open" | "close"] }),
  };
  const assumes = (command: Json): Json | undefined => (command === "stop" ? null : ends[command as "open" | "close"]);
  return [{ ...commandOf(names, name, whole), assumes }];
}

function positioned(options: Options): DescribedAttribute[] {
  const ends = endsOf(options);
  const { open, closed } = ends;
  const found = valueAs(options, {
    ...{ word: "position", type: "number", unit: "%", ...boundsOf(ends) },
    state: ["state_topic", "value_template"],
    command: {
      ...COMMAND,
      variables: (value) => ({
        ...{ position_open: open, position_closed: closed },
        position: open === closed ? value : Math.round(((Number(value) - closed) / (open - closed)) * 100),
      }),
    },
  });
  return found.flatMap((one) => {
    const { name } = one.attribute;
    const placed = positionOf(one, { open, closed, isCommanded: true });
    const isOn = {
      ...SAME,
      attribute: { type: "boolean" as const },
      from: (value: Json) => (typeof value === "number" ? value !== closed : undefined),
      to(value: Json, called: string) {
        if (typeof value !== "boolean") throw wrong(called, "must be true or false");
        return value ? open : closed;
      },
    };
    const also = [
      ...(placed.also ?? []),
      { word: "on", conversion: isOn },
      ...commandEnds(options, { name, commanded: one.commanded, open, close: closed }),
    ];
    return [{ ...placed, also }, ...stop(options)];
  });
}

function stop(options: Options): DescribedAttribute[] {
  const payload = options.text("payload_stop");
  if (payload === undefined) return [];
  const commanded = options.commanded("stop", COMMAND, (value) => {
    if (value !== true) throw wrong("stop", "must be true");
    return payload;
  });
  return [{ ...attributeOf(options, { name: "stop", type: "boolean" }, { commanded }), momentary: true }];
}

const LOCK_STATES = ["locked", "unlocked", "locking", "unlocking", "jammed", "open"] as const;
type LockState = (typeof LOCK_STATES)[number];

/** By the texts that were announced. */
function lockStates(options: Options): ReadonlyMap<string, LockState> {
  const states = new Map<string, LockState>([[options.text("state_opening") ?? "OPENING", "unlocking"]]);
  for (const one of LOCK_STATES.toReversed()) states.set(options.text(`state_${one}`) ?? one.toUpperCase(), one);
  return states;
}

/** `true` locks it; `"open"` opens the door itself, where it can. */
export const lock: Component = (options) => {
  options.needsTopic("command_topic");
  const state = options.reading("state_topic", "value_template");
  const name = switchName(state?.path?.at(-1) ?? "state", "locked");
  const open = options.text("payload_open");
  const commanded = lockCommands(options, name);
  const momentary = { momentary: true as const };
  const readings = state && lockReadings(options, state);
  const locked = attributeOf(options, { name, type: "boolean" }, { readings: [readings?.locked], commanded });
  return [
    inOwnWord(locked, "locked"),
    ...(readings ? [lockState(options, readings.state, name)] : []),
    ...(open === undefined
      ? []
      : [{ ...attributeOf(options, { name: "open", type: "boolean" }, { commanded }), ...momentary }]),
    ...(options.text("code_format") === undefined
      ? []
      : [{ ...attributeOf(options, { name: "code", type: "string" }, { commanded }), ...momentary }]),
  ];
};

function lockCommands(options: Options, name: string): Commanded {
  const [on, off] = [options.text("payload_lock") ?? "LOCK", options.text("payload_unlock") ?? "UNLOCK"];
  const template = options.template("command_template");
  const topic = options.needsTopic("command_topic");
  const open = options.text("payload_open");
  const send = (payload: Json, code: Json | undefined) =>
    options.outgoing(topic, template ? template.write({ value: payload, code: code ?? null }) : String(payload));
  return {
    write(wanted) {
      const { [name]: wantedState, open: wantedOpen, code } = wanted;
      if (wantedOpen !== undefined && wantedOpen !== true) throw wrong("open", "must be true");
      if (wantedOpen === true) return [send(open ?? "OPEN", code)];
      if (wantedState === undefined) throw wrong("code", `needs ${name} beside it`);
      return [send(onOff(name, on, off)(wantedState), code)];
    },
  };
}

/** A bolt that is halfway says so beside its state, which knows only two. */
const HALFWAY: Readonly<Record<string, LockState>> = {
  ...{ not_fully_locked: "jammed", jammed: "jammed", locking: "locking", unlocking: "unlocking" },
};

function lockReadings(options: Options, reading: Reading): { locked: Reading; state: Reading } {
  const states = lockStates(options);
  const reset = options.text("payload_reset") ?? "None";
  const end = (reading.path?.at(-1) ?? "").replace(/^state/, "");
  const stateIn = (message: Parameters<Reading["read"]>[0]): LockState | null | undefined => {
    const value = reading.read(message);
    if (value === undefined || value === null || value === reset) return value === undefined ? undefined : null;
    const beside = isObject(message.json) && reading.path ? message.json[`lock_state${end}`] : undefined;
    return HALFWAY[String(beside)] ?? states.get(String(value));
  };
  return {
    locked: {
      ...reading,
      read(message) {
        const state = stateIn(message);
        if (state === undefined) return undefined;
        return state === "locked" ? true : state === "unlocked" || state === "open" ? false : null;
      },
    },
    state: { topic: reading.topic, path: undefined, template: `${reading.template ?? ""} lock`, read: stateIn },
  };
}

function lockState(options: Options, reading: Reading, of: string): DescribedAttribute {
  const kind = { name: "lock_state", type: "string", options: LOCK_STATES, word: "lock_state" } as const;
  const one = attributeOf(options, kind, { readings: [reading] });
  return { ...one, attribute: { ...one.attribute, derived: true, of } };
}
