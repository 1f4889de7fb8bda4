// hub device set: commands a device, and says what became of that. What the hub itself refuses is thrown, with its words.
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { type Invocation, print } from "../command.ts";
import { valueText } from "../devices.ts";
import { UNANSWERED } from "../usage.ts";
import { type DeviceAction, deviceNamed, type NamedDevice } from "./named-device.ts";
import { type Became, newestEvent, watchCommand } from "./outcome.ts";
import { wantedState } from "./values.ts";

// Longer than the hub itself waits for a device, unless hub.toml says otherwise.
const WAIT_SECS = 12;
const MAX_SECS = 600;
const REFUSED = /^the device refused the command: (.*)$/s;

export async function set({ invocation, reached: { client }, name, rest }: DeviceAction): Promise<number> {
  const { options, io } = invocation;
  const waitSecs = waitIn(invocation);
  const device = await deviceNamed(client, name);
  const wanted = wantedState(device, rest, options.force === true);
  const since = await newestEvent(client, device.id);
  const query = options.force ? "?force=true" : "";
  const path = `/devices/${encodeURIComponent(device.id)}/state${query}`;
  const { correlationId, refused } = await sent(() => client.ask("PATCH", path, wanted));
  const became =
    refused ??
    (waitSecs === 0
      ? ({ outcome: "sent" } as const)
      : await watchCommand({ client, clock: io.platform.clock, device, wanted, since, correlationId, waitSecs }));
  const said = { device_id: device.id, correlation_id: correlationId, command: wanted, ...became };
  print(invocation, said, () => `${textOf(device, wanted, became)}\n`);
  if (became.outcome === "refused") return 1;
  return became.outcome === "unanswered" ? UNANSWERED : 0;
}

/** What the device refuses at once, the hub answers with. */
async function sent(ask: () => Promise<Json>): Promise<{ correlationId: string; refused?: Became }> {
  try {
    const answer = await ask();
    return { correlationId: isObject(answer) ? String(answer.correlation_id) : "" };
  } catch (error) {
    const [, message] = REFUSED.exec(messageOf(error)) ?? [];
    if (!(error instanceof HubError) || message === undefined) throw error;
    return { correlationId: String(error.details.correlation_id ?? ""), refused: { outcome: "refused", message } };
  }
}

function waitIn({ options: { wait } }: Invocation): number {
  const secs = wait === undefined ? WAIT_SECS : Number(wait);
  if (!(secs >= 0 && secs <= MAX_SECS))
    throw new HubError("invalid", `--wait must be a number of seconds up to ${MAX_SECS}`);
  return secs;
}

function textOf({ id, name }: NamedDevice, wanted: JsonObject, became: Became): string {
  const what = `${printable(name)}${name === id ? "" : ` (${printable(id)})`}: ${valuesText(wanted)}`;
  switch (became.outcome) {
    case "confirmed":
      return `${what}: confirmed`;
    case "already":
      return `${what}: sent; it was so before`;
    case "answered":
      return `${what}: taken; now it reports ${valuesText(became.reported)}`;
    case "refused":
      return `${what}: refused: ${printable(became.message)}`;
    case "unanswered":
      return `${what}: sent, and not confirmed: ${printable(became.message)}`;
    default:
      return `${what}: sent`;
  }
}

function valuesText(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => `${printable(name)}=${valueText(value)}`)
    .join(" ");
}
