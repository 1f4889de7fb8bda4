// hub status: how the running hub is. Exit codes: 0 well, 3 stopped or not to be reached, 4 running with problems.
import { isPaired, readMachine } from "../../copies/standby/machine.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import { timezoneOf } from "../config/location.ts";
import { type Command, homeOf, type Invocation } from "./command.ts";
import { type Reached, reachOptions, withRunningHub } from "./reach.ts";
import { createClockface, createPaint, table } from "./rules/text.ts";
import { TROUBLED } from "./usage.ts";

export const status: Command = {
  options: { ...reachOptions, json: { type: "boolean", doc: "print JSON" } },
  async run(invocation) {
    if (isStandby(invocation)) return (await import("./standby/status.ts")).status(invocation);
    const { stdout, stderr } = invocation.io.platform;
    const { json } = invocation.options;
    async function show(reached: Reached): Promise<number> {
      const { health, status, alerts } = await ask(reached);
      const { origin } = reached.client;
      const lasting = alerts.filter(({ until }) => until === null);
      const found = { health, status, alerts: lasting };
      if (json)
        stdout.write(`${JSON.stringify({ running: true, url: origin, ...health, ...status, alerts: lasting })}\n`);
      else stdout.write(textOf({ ...found, origin }, invocation, reached));
      return isWell(found) ? 0 : TROUBLED;
    }
    return withRunningHub(invocation, show, (message) => {
      if (json) stdout.write(`${JSON.stringify({ running: false, error: message })}\n`);
      else stderr.write(`hub: ${message}\n`);
    });
  },
};

/** Of the home that is meant, unless it is a hub elsewhere. */
function isStandby(invocation: Invocation): boolean {
  const { options, io } = invocation;
  if (options.url !== undefined && (options.token ?? io.platform.env.HUB_TOKEN) !== undefined) return false;
  const home = homeOf(invocation);
  using _owner = actAsOwner(home);
  return isPaired(home) && readMachine(home)?.role === "standby";
}

interface Found {
  health: JsonObject;
  status: JsonObject;
  alerts: JsonObject[];
}

async function ask({ client }: Reached): Promise<Found> {
  const [health, status, alerts] = await Promise.all([
    client.ask("GET", "/health"),
    client.ask("GET", "/system/status"),
    client.ask("GET", "/system/alerts"),
  ]);
  if (isObject(health) && isObject(status) && Array.isArray(alerts))
    return { health, status, alerts: alerts.filter(isObject) };
  throw new HubError("upstream_failed", `what answers at ${client.origin} is not a hub that this program knows`);
}

/** What is only reported (severity `info`) is no problem. */
function isWell({ health, status, alerts }: Found): boolean {
  const isFine = alerts.every(({ severity }) => severity === "info");
  return health.ready === true && isFine && problemsIn(status).length === 0;
}

function problemsIn({ problems }: JsonObject): JsonObject[] {
  return Array.isArray(problems) ? problems.filter(isObject) : [];
}

function textOf(
  { health, status, alerts, origin }: Found & { origin: string },
  { io: { platform } }: Invocation,
  { config }: Reached,
): string {
  const paint = createPaint(platform.stdout, platform.env);
  const place = isObject(status.place) ? status.place : {};
  const zone = config ? timezoneOf(config.location) : String(place.timezone ?? "UTC");
  const at = (iso: unknown): string => (typeof iso === "string" ? createClockface(zone).at(iso) : "never");
  const rows = [
    ["Version", String(status.version)],
    ["Address", origin],
    ["Running", `since ${at(status.started_at)}`],
    ["Devices", String(status.devices)],
    ["Rules", String(status.rules)],
    ["Plugins", String(status.plugins)],
    ["Connected", `${status.mqtt_clients} over MQTT, ${status.stream_clients} to the events`],
    ["Memory", `${Math.round(Number(status.memory_bytes) / 1_048_576)} MB`],
    ["Last backup", at(status.last_backup)],
  ];
  const off = isObject(status.safe_start) && Array.isArray(status.safe_start.off) ? status.safe_start.off : [];
  const ills = [
    // The problems say the same of parts that are off.
    ...alerts
      .filter(({ kind }) => kind !== "part_off")
      .map(({ severity, message, mend }) => [String(severity), `${message}: ${mend}`] as const),
    ...problemsIn(status).map(({ part, message }) => [String(part), String(message)] as const),
  ];
  const state =
    off.length > 0
      ? paint("red", `The hub made a safe start; these parts are off: ${off.join(", ")}.`)
      : health.ready !== true
        ? paint("red", "The hub is starting.")
        : isWell({ health, status, alerts })
          ? paint("green", "The hub is well.")
          : paint("red", "The hub is running, with problems:");
  const list = ills.map(([what, message]) => `  ${printable(what)}: ${printable(message)}\n`).join("");
  return `${state}\n${list}\n${table(rows.map(([name = "", value = ""]) => [name, printable(value)]))}`;
}
