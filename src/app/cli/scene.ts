// hub scene: lists the scenes of the running hub, or activates one.
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { type Command, counted, type Invocation, jsonOption, print } from "./command.ts";
import { type Findable, findNamed } from "./find.ts";
import type { HubClient } from "./hub-client.ts";
import { reach, reachOptions } from "./reach.ts";
import { createPaint, table } from "./rules/text.ts";

export const scene: Command = {
  options: {
    ...reachOptions,
    force: { type: "boolean", doc: "activate: command also devices that are not available" },
    ...jsonOption,
  },
  maxPositionals: 2,
  completes: { activate: "scene" },
  async run(invocation) {
    const [word = "list", name] = invocation.positionals;
    const isActivated = word === "activate";
    if ((word !== "list" && !isActivated) || isActivated !== (name !== undefined))
      throw new HubError("invalid", "say `hub scene list` or `hub scene activate SCENE`");
    const { client } = await reach(invocation);
    return name === undefined ? await list(client, invocation) : await activate(client, name, invocation);
  },
};

async function list(client: HubClient, invocation: Invocation): Promise<number> {
  const found = await scenesOf(client);
  print(invocation, found, () => listText(found, invocation));
  return 0;
}

async function scenesOf(client: HubClient): Promise<(JsonObject & Findable)[]> {
  const answer = await client.ask("GET", "/scenes");
  const found = (Array.isArray(answer) ? answer : []).filter(isObject);
  return found.map((one) => ({ ...one, id: String(one.id), name: String(one.name) }));
}

function listText(found: readonly (JsonObject & Findable)[], { io: { platform } }: Invocation): string {
  if (found.length === 0) return "there are no scenes: make one on the page\n";
  const rows = found.map(({ id, name, states }) => [
    printable(name),
    printable(id),
    counted(Object.keys(isObject(states) ? states : {}).length, "device"),
  ]);
  const [heading = "", ...lines] = table([["SCENE", "ID", "COMMANDS"], ...rows]).split("\n");
  return [createPaint(platform.stdout, platform.env)("dim", heading), ...lines].join("\n");
}

/** Exit code 1 where a device was not commanded. */
async function activate(client: HubClient, wanted: string, invocation: Invocation): Promise<number> {
  const { id, name } = findNamed(await scenesOf(client), wanted, {
    noun: "scene",
    listedBy: "hub scene list",
    distinguishedBy: "id",
  });
  const query = invocation.options.force ? "?force=true" : "";
  const answer = await client.ask("POST", `/scenes/${encodeURIComponent(id)}/activate${query}`);
  const { sent, failed } = isObject(answer) ? answer : {};
  const commanded = Array.isArray(sent) ? sent : [];
  const left = (Array.isArray(failed) ? failed : []).filter(isObject);
  print(invocation, answer, () => {
    const lines = left.map(
      ({ device_id, error }) => `  ${printable(String(device_id))}: ${printable(String(error))}\n`,
    );
    const but = left.length > 0 ? `; not to ${counted(left.length, "device")}:` : "";
    return `${printable(name)}: sent to ${counted(commanded.length, "device")}${but}\n${lines.join("")}`;
  });
  return left.length > 0 ? 1 : 0;
}
