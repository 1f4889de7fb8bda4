// One command for several devices: one that refuses it keeps no other from getting it.
import { HubError, messageOf } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { ActionScope } from "./define.ts";

/** Throws HubError that names all that refused, when all have been asked. */
export async function commandDevices(
  deviceIds: readonly string[],
  command: JsonObject,
  { host, actor }: Pick<ActionScope, "host" | "actor">,
): Promise<void> {
  await commandEach(Object.fromEntries(deviceIds.map((id) => [id, command])), { host, actor });
}

/** As `commandDevices`, to each its own. */
export async function commandEach(
  commands: Readonly<Record<string, JsonObject>>,
  { host, actor }: Pick<ActionScope, "host" | "actor">,
): Promise<void> {
  const entries = Object.entries(commands);
  const ends = await Promise.allSettled(entries.map(async ([id, command]) => host.command(id, command, actor)));
  const reasons = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  const [first] = reasons;
  if (first === undefined) return;
  if (entries.length === 1) throw first;
  const code = first instanceof HubError ? first.code : "upstream_failed";
  const texts = reasons.map(messageOf).join("; ");
  throw new HubError(code, `${reasons.length} of ${entries.length} devices did not take it: ${texts}`, {
    cause: first,
  });
}
