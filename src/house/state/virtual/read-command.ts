// Reads a command for a virtual device. An unknown command is refused with the list of known ones.
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { checkValue, type Problem } from "../../../kit/schema/schema.ts";

const closed = { additionalProperties: false } as const;

/** The schema of one command: its name and its own keys. */
export function commandSchema<const N extends string, P extends Record<string, TSchema>>(name: N, keys: P) {
  return Type.Object({ command: Type.Literal(name), ...keys }, closed);
}

/** One of the commands, chosen by its `command`. Throws HubError `invalid` with every problem. */
export function readCommand<S extends Record<string, TObject>>(
  commands: S,
  wanted: JsonObject,
): { [K in keyof S]: Static<S[K]> }[keyof S] {
  const names = Object.keys(commands);
  const { command } = wanted;
  const schema = typeof command === "string" && Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (schema) return checked(schema, wanted) as { [K in keyof S]: Static<S[K]> }[keyof S];
  const choice = `must be one of ${names.map((name) => `"${name}"`).join(", ")}`;
  const message = typeof command === "string" ? `${choice}${didYouMean(command, names)}` : choice;
  throw refusal([{ path: "command", message: command === undefined ? `missing: ${choice}` : message }]);
}

const On = Type.Object({ on: Type.Boolean() }, closed);
const ON_OFF = { on: commandSchema("on", {}), off: commandSchema("off", {}), toggle: commandSchema("toggle", {}) };

/** Whether `{"on": …}` or the command `on`, `off` or `toggle` turns it on. Throws HubError `invalid`. */
export function readOnOff(wanted: JsonObject, isOn: boolean): boolean {
  if (!Object.hasOwn(wanted, "command")) return checked(On, wanted).on;
  const { command } = readCommand(ON_OFF, wanted);
  return command === "toggle" ? !isOn : command === "on";
}

const Enabled = Type.Object({ enabled: Type.Boolean() }, closed);
const ENABLE_DISABLE = { enable: commandSchema("enable", {}), disable: commandSchema("disable", {}) };

/** Whether `{"enabled": …}` or the command `enable` or `disable` enables it. Throws HubError `invalid`. */
export function readEnabled(wanted: JsonObject): boolean {
  if (!Object.hasOwn(wanted, "command")) return checked(Enabled, wanted).enabled;
  return readCommand(ENABLE_DISABLE, wanted).command === "enable";
}

function checked<S extends TSchema>(schema: S, wanted: JsonObject): Static<S> {
  const result = checkValue(schema, wanted);
  if (result.ok) return result.value;
  throw refusal(result.problems);
}

/** One error with all problems. */
export function refusal(problems: readonly Problem[]): HubError {
  const text = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  return new HubError("invalid", text, { details: { problems } });
}
