// The variables of a run, `vars`: actions set them, within bounds, because they are kept as long as the run waits.
import { HubError } from "../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { jsonBytes } from "../../kit/schema/memory-size.ts";
import type { ActionScope, TriggerContext } from "./define.ts";

const MAX_BYTES = 65_536;
const MAX_NAMES = 200;

/** Throws HubError `too_large`; then nothing has changed. */
export function setVariable({ vars }: Pick<ActionScope, "vars">, name: string, value: Json): void {
  const { [name]: before, ...others } = vars;
  const names = Object.keys(others).length + 1;
  if (names > MAX_NAMES) throw new HubError("too_large", `a run has at most ${MAX_NAMES} variables`);
  if (jsonBytes(others) + jsonBytes(value) > MAX_BYTES)
    throw new HubError("too_large", `the variables of a run have at most ${MAX_BYTES} bytes together`);
  // A name such as `__proto__` is a name like any other.
  Object.defineProperty(vars, name, { value, enumerable: true, writable: true, configurable: true });
}

/** How the last wait ended, as `vars.wait`; what triggered it is left out if it is too large. */
export function setWait(
  scope: Pick<ActionScope, "vars">,
  wait: { completed: boolean; trigger?: TriggerContext },
): void {
  try {
    setVariable(scope, "wait", wait as unknown as JsonObject);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    setVariable(scope, "wait", { completed: wait.completed, trigger: { id: wait.trigger?.id ?? "" } });
  }
}
