// hub export: shows where else the history goes, and sends what is recorded to it once more.
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { isHomeLocked } from "../../server/home/lock.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import { type Command, homeOf, homeOption, type Invocation } from "./command.ts";
import { type HubClient, openHubClient } from "./hub-client.ts";
import { readConfig } from "./prepare.ts";
import { notRunning } from "./reach.ts";

export const exportCommand: Command = {
  options: {
    ...homeOption,
    from: { type: "string", value: "TIME", doc: "backfill: from when, such as 2026-01-31; default: all there is" },
    to: { type: "string", value: "TIME", doc: "backfill: until when; default: now" },
    url: { type: "string", value: "ADDRESS", doc: "where the running hub answers, if hub.toml does not say" },
    json: { type: "boolean", doc: "print JSON" },
  },
  maxPositionals: 2,
  completes: { backfill: "export" },
  async run(invocation) {
    const [word = "list", name] = invocation.positionals;
    const isBackfill = word === "backfill";
    if ((word !== "list" && !isBackfill) || isBackfill !== (name !== undefined))
      throw new HubError("invalid", "say `hub export list` or `hub export backfill NAME`");
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    if (!isHomeLocked(home)) throw notRunning(home, "exports run in it");
    const { options, io } = invocation;
    const config = readConfig(home, io);
    const client = await openHubClient({ home, config, platform: io.platform, url: text(options.url) });
    const found = isBackfill ? [await backfill(client, name ?? "", invocation)] : await list(client);
    const { stdout } = io.platform;
    stdout.write(options.json ? `${JSON.stringify(found)}\n` : textOf(found));
    return 0;
  },
};

async function list(client: HubClient): Promise<JsonObject[]> {
  const found = await client.ask("GET", "/history/exports");
  return Array.isArray(found) ? found.filter(isObject) : [];
}

async function backfill(client: HubClient, name: string, { options }: Invocation): Promise<JsonObject> {
  const [from, to] = [text(options.from), text(options.to)];
  const body = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const found = await client.ask("POST", `/history/exports/${encodeURIComponent(name)}/backfill`, body);
  return isObject(found) ? found : {};
}

function textOf(found: readonly JsonObject[]): string {
  if (found.length === 0) return "hub.toml has no [[history.export]]\n";
  return found.map((each) => `${linesOf(each).join("\n")}\n`).join("");
}

function linesOf({ name, target, state, sent_until, sent, dropped, lost, problem, backfills }: JsonObject): string[] {
  const counts = [`${sent} sent`, Number(dropped) > 0 && `${dropped} refused`, Number(lost) > 0 && `${lost} lost`];
  const until = sent_until === null ? "" : `, until ${sent_until}`;
  const stretches = (Array.isArray(backfills) ? backfills : []).filter(isObject);
  return [
    `${shown(name)} → ${shown(target)}: ${state}${until} (${counts.filter(Boolean).join(", ")})`,
    ...(problem === null ? [] : [`  ${shown(problem)}`]),
    ...stretches.map(({ from, to }) => `  still to send: ${from} to ${to}`),
  ];
}

const shown = (value: Json | undefined): string => printable(String(value));

function text(value: Invocation["options"][string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}
