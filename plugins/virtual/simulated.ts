// One simulated device in the hub: its state over time, its commands, and the causes of its reports.
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Cause, JsonObject, LooseJson } from "../sdk/index.ts";
import type { VirtualPlugin } from "./config.ts";
import type { Kind } from "./kind.ts";
import type { HouseClock, World } from "./world.ts";

export const VERSION = "1.0.0";
const MAX_PROBLEMS = 10;
const MAX_KEY = 40;

export interface House {
  plugin: VirtualPlugin;
  world: World;
  clock: HouseClock;
}

export interface Place<S, A extends TObject> {
  id: string;
  name: string;
  area: string;
  kind: Kind<S, A>;
}

export interface Simulated {
  readonly id: string;
  attributes(): LooseJson;
  /** Advances the state to the present and reports what changed. */
  advance(): void;
  /** Carries out a command and reports. Throws one error with all problems. */
  command(command: JsonObject): void;
  /** Reports the result of a command without carrying it out; the next report is the real state again. */
  pretend(command: JsonObject): void;
}

export function simulate<S, A extends TObject>(house: House, { id, name, area, kind }: Place<S, A>): Simulated {
  const { plugin, world, clock } = house;
  let atSecs = clock.now();
  let state = kind.initial(atSecs, world);
  let timer: Disposable | undefined;

  const device = plugin.device({
    id,
    name,
    area,
    deviceType: kind.deviceType,
    capabilities: kind.capabilities,
    manufacturer: "Hub",
    model: kind.model,
    swVersion: VERSION,
    onCommand(command, cause) {
      const reason = whyRefused(command);
      if (reason === undefined) carryOut(command, cause);
      else refuse(reason, cause);
      return undefined;
    },
  });

  function whyRefused(command: JsonObject): string | undefined {
    const problems = problemsOf(command, kind);
    return problems.length > 0 ? problems.join("; ") : kind.objection?.(command as Static<A>);
  }

  function carryOut(command: JsonObject, cause?: Cause): void {
    advanceState();
    state = kind.apply(state, command as Static<A>, atSecs);
    report(cause);
    scheduleNext(cause);
  }

  // The hub has answered 202 already: the correlation id of that answer identifies the refusal in the events.
  function refuse(reason: string, cause?: Cause): void {
    plugin.log.warn("a command was refused", { device_id: id, reason });
    plugin.emit("command_refused", { device_id: id, reason, correlation_id: cause?.correlation_id });
  }

  function advanceState(): void {
    const now = clock.now();
    state = kind.step(state, { fromSecs: atSecs, toSecs: now }, world);
    atSecs = now;
  }

  function report(cause?: Cause): void {
    device.set(kind.attributes(state), cause ? { cause } : {});
  }

  function advance(cause?: Cause): void {
    advanceState();
    report(cause);
  }

  /** Sets the timer for the next change; `cause` is the command that led to it. */
  function scheduleNext(cause?: Cause): void {
    timer?.[Symbol.dispose]();
    const next = kind.nextAt?.(state);
    if (next === undefined) return;
    timer = plugin.after(clock.msUntil(next), () => {
      advance(cause);
      scheduleNext(cause);
    });
  }

  return {
    id,
    attributes: () => kind.attributes(state),
    advance: () => advance(),
    command(command) {
      const reason = whyRefused(command);
      if (reason !== undefined) throw new Error(reason);
      carryOut(command);
    },
    pretend: (command) => device.set(kind.attributes(kind.apply(state, command as Static<A>, atSecs))),
  };
}

export interface Commandable {
  readonly capabilities: TObject;
  readonly accepts: TObject;
}

/** All problems of a command's format, without its values; empty when there are none. */
export function problemsOf(command: JsonObject, { capabilities, accepts }: Commandable): string[] {
  const known = Object.keys(accepts.properties).join(", ");
  const entries = Object.entries(command);
  if (entries.length === 0) return [`the command is empty; it may contain ${known}`];
  const problems = entries.flatMap(([key, value]) => {
    const schema = own(accepts, key);
    if (schema) return Value.Check(schema, value) ? [] : [`${key}: must be ${wording(schema)}`];
    if (own(capabilities, key)) return [`${key}: is a reading and cannot be set`];
    return [`${key.slice(0, MAX_KEY)}: unknown; a command may contain ${known}`];
  });
  return problems.slice(0, MAX_PROBLEMS);
}

function own({ properties }: TObject, key: string): TSchema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function wording(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(wording).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "string") return `a text such as ${JSON.stringify(schema.examples?.[0])}`;
  return `a ${schema.type === "integer" ? "whole " : ""}number from ${schema.minimum} to ${schema.maximum}`;
}
