// CEL's vocabulary here: variables, the functions that read the home, and those of numbers.ts and quantifiers.ts.
import { Environment, EvaluationError } from "@marcbachmann/cel-js";
import { registerConversions } from "./conversions.ts";
import type { ExpressionHost } from "./host.ts";
import { registerNumbers, registerRandom } from "./numbers.ts";
import { registerQuantifiers } from "./quantifiers.ts";

/** Of an expression: its nodes, their nesting, and the entries of one list, map or call. */
const LIMITS = {
  maxAstNodes: 1000,
  maxDepth: 48,
  maxListElements: 500,
  maxMapEntries: 100,
  maxCallArguments: 16,
};

/** `host` returns that of the present evaluation. */
export function createEnvironment(host: () => ExpressionHost): Environment {
  const environment = createBareEnvironment([]).registerVariable("trigger", "map").registerVariable("vars", "map");
  const add = (signature: string, handler: (id: string) => unknown) =>
    environment.registerFunction(signature, handler, { async: false });

  add("device(string): map", (id) => known("device", id, host().device(id)));
  add("device_state(string): map", (id) => known("device", id, host().deviceState(id)));
  add("device_exists(string): bool", (id) => host().deviceState(id) !== undefined);
  add("devices(): list", () => host().devices("", ""));
  add("devices(string): list", (area) => host().devices(area, ""));
  environment.registerFunction("devices(string, string): list", (area: string, type: string) =>
    host().devices(area, type),
  );
  add("hub_var(string): dyn", (name) => known("variable", name, host().variable(name)));
  environment.registerFunction("hub_var(string, dyn): dyn", (name: string, otherwise: unknown) => {
    const value = host().variable(name);
    return value === undefined ? otherwise : value;
  });
  add("sun_elevation(): double", () => elevationOf(host()));
  registerRandom(environment, () => host().random());
  add("mode(string): bool", (id) => known("mode", id, host().mode(id)));
  add("now(): google.protobuf.Timestamp", () => host().now());
  add("current_hour(): int", () => BigInt(wall(host()).hour));
  add("current_minute(): int", () => BigInt(wall(host()).minute));
  // 1 is Monday and 7 Sunday, as ISO 8601, cron's 1–7 and Home Assistant's isoweekday have it.
  add("current_weekday(): int", () => BigInt(wall(host()).dayOfWeek));
  return environment;
}

/** With these variables, of any type, and nothing that reads the home. */
export function createBareEnvironment(variables: readonly string[]): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS });
  for (const name of variables) environment.registerVariable(name, "dyn");
  registerNumbers(environment);
  registerConversions(environment);
  registerQuantifiers(environment);
  return environment;
}

function known<T>(kind: string, name: string, value: T | undefined): T {
  if (value === undefined) throw new EvaluationError({ code: "not_found", message: `there is no ${kind} "${name}"` });
  return value;
}

function elevationOf({ sunElevation }: ExpressionHost): number {
  const degrees = sunElevation();
  if (degrees !== undefined) return degrees;
  const message = "the location of the house is unknown: set latitude and longitude in [location] of hub.toml";
  throw new EvaluationError({ code: "not_found", message });
}

function wall(host: ExpressionHost): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(host.now().getTime()).toZonedDateTimeISO(host.timezone);
}
