// hub standby status: which machine is the hub, how old the copy is, and whether this machine takes over by itself. Exit codes as
// those of `hub status`: 0 well, 3 not running, 4 with problems.
import { isPaired, type MachineFile, readMachine } from "../../../copies/standby/machine.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { actAsOwner } from "../../../server/home/owner.ts";
import { homeOf, type Invocation } from "../command.ts";
import { withRunningHub } from "../reach.ts";
import { createPaint, table } from "../rules/text.ts";
import { NOT_RUNNING, TROUBLED } from "../usage.ts";
import { openLocal } from "./local.ts";

export async function status(invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  const home = homeOf(invocation);
  const owner = actAsOwner(home);
  const file = isPaired(home) ? readMachine(home) : undefined;
  if (file?.role === "standby") {
    using _owner = owner;
    using local = localOr(() => openLocal(home, file, invocation));
    if ("message" in local) return reportStopped(file, local.message, invocation);
    return show(await local.link.ask("GET", "/standby", { key: local.key }), invocation);
  }
  owner[Symbol.dispose]();
  return withRunningHub(
    invocation,
    async ({ client }) => show(await client.ask("GET", "/standby"), invocation),
    (message) => {
      if (options.json)
        io.platform.stdout.write(`${JSON.stringify({ running: false, role: "hub", error: message })}\n`);
      else io.platform.stderr.write(`hub: ${message}\n`);
    },
  );
}

function localOr<T extends Disposable>(open: () => T): T | { message: string; [Symbol.dispose](): void } {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "unavailable") throw error;
    return { message: error.message, [Symbol.dispose]() {} };
  }
}

function reportStopped({ role, other }: MachineFile, message: string, { io, options }: Invocation): number {
  if (options.json)
    io.platform.stdout.write(
      `${JSON.stringify({ running: false, role, hub: other?.address ?? null, error: message })}\n`,
    );
  else io.platform.stderr.write(`hub: this machine is the standby of ${other?.address ?? "a hub"}, but ${message}\n`);
  return NOT_RUNNING;
}

function show(answer: unknown, { io, options }: Invocation): number {
  if (!isObject(answer)) throw new HubError("upstream_failed", "what answers is not a hub that this program knows");
  const found = answer as JsonObject;
  if (options.json) io.platform.stdout.write(`${JSON.stringify({ running: true, ...found })}\n`);
  else {
    const paint = createPaint(io.platform.stdout, io.platform.env);
    const { headline, isWell, rows } = found.role === "hub" ? hubText(found) : standbyText(found);
    const lines = rows.map(([name, value]) => [name, printable(value)]);
    io.platform.stdout.write(`${paint(isWell ? "green" : "red", headline)}\n\n${table(lines)}`);
  }
  return isTroubled(found) ? TROUBLED : 0;
}

interface Text {
  headline: string;
  isWell: boolean;
  rows: [string, string][];
}

function isTroubled({ role, problem, standby, lease }: JsonObject): boolean {
  if (role !== "hub") return typeof problem === "string";
  const trouble = isObject(lease) && typeof lease.trouble === "string";
  if (trouble || !isObject(standby)) return trouble;
  return (
    standby.heard_secs_ago === null ||
    Number(standby.heard_secs_ago) > 60 ||
    typeof standby.problem === "string" ||
    standby.confirms === false
  );
}

function hubText(found: JsonObject): Text {
  const { machine, standby, lease, epoch } = found;
  const own = isObject(machine) ? `${String(machine.name)}, ${String(machine.address)}` : "this one";
  const rows: [string, string][] = [["Hub", own]];
  if (isObject(standby)) {
    const address = standby.address === "" ? "" : `, ${String(standby.address)}`;
    rows.push(["Standby", `${String(standby.name)}${address}${standby.manual ? ", only by hand" : ""}`]);
    rows.push([
      "Heard",
      standby.heard_secs_ago === null ? "not since this hub started" : `${secs(standby.heard_secs_ago)} ago`,
    ]);
    if (typeof standby.problem === "string") rows.push(["It says", standby.problem]);
    if (standby.confirms !== null && standby.confirms !== undefined)
      rows.push([
        "Changes",
        standby.confirms ? "are answered when it has them" : "are not confirmed by it now: they are here alone",
      ]);
    rows.push(["Its copy", standby.whole ? `${secs(standby.behind_secs)} old` : "not whole yet"]);
  } else rows.push(["Standby", "none: make one with `hub standby --of` on another machine"]);
  if (isObject(lease)) rows.push(["Lease", lease.held ? String(lease.trouble ?? "held") : "not held"]);
  rows.push(["Epoch", String(epoch)]);
  return { headline: "This machine is the hub.", isWell: !isTroubled(found), rows };
}

function standbyText(found: JsonObject): Text {
  const { hub, copy, lease, takes_over, problem, epoch } = found;
  const rows: [string, string][] = [];
  if (isObject(hub)) {
    rows.push(["Hub", typeof hub.name === "string" ? `${hub.name}, ${String(hub.address)}` : String(hub.address)]);
    rows.push(["Heard", hub.heard_secs_ago === null ? "not yet" : `${secs(hub.heard_secs_ago)} ago`]);
  }
  if (isObject(copy)) {
    rows.push(["Copy", copy.whole ? `${secs(copy.behind_secs)} old` : "not whole yet"]);
    rows.push([
      "History",
      copy.history_through === null
        ? "none yet"
        : `until ${String(copy.history_through)}${copy.history_whole ? "" : ", not whole yet"}`,
    ]);
  }
  if (isObject(lease))
    rows.push([
      "Lease",
      typeof lease.trouble === "string"
        ? lease.trouble
        : typeof lease.holder === "string"
          ? `${lease.holder} has it`
          : "nobody has it",
    ]);
  rows.push(["Takes over", typeof takes_over === "string" ? `not now: ${takes_over}` : "now"]);
  rows.push(["Epoch", String(epoch)]);
  const isWell = typeof problem !== "string";
  return {
    headline: isWell ? "This machine is the standby." : `This machine is the standby: ${problem}`,
    isWell,
    rows,
  };
}

function secs(value: unknown): string {
  return typeof value === "number" ? `${Math.round(value)} s` : "unknown";
}
