// A token of the other hub for one command: given, or for the password that a person types.
import { readFileSync } from "node:fs";
import type { HubLink } from "../../../copies/standby/follow/hub-link.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isObject } from "../../../kit/schema/json.ts";
import type { Invocation } from "../command.ts";
import { text } from "../reach.ts";

/** Throws HubError `unauthenticated` in the hub's words. */
export async function tokenFor(link: HubLink, invocation: Invocation): Promise<string> {
  const { options, io } = invocation;
  const file = text(options["token-file"]);
  const given = file === undefined ? text(io.platform.env.HUB_TOKEN) : readToken(file);
  if (given !== undefined) return given;
  const username = text(options.user) ?? "admin";
  const password = await askPassword(`password of ${username} at ${link.origin}: `, invocation);
  const answer = await link.ask("POST", "/auth/login", { body: { username, password } });
  if (isObject(answer) && typeof answer.token === "string") return answer.token;
  throw new HubError("upstream_failed", `what answers at ${link.origin} gave no token`);
}

function readToken(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new HubError("invalid", `--token-file: ${messageOf(error)}`);
  }
}

/** Without showing it. Where nobody types, it is the first line of standard input. */
async function askPassword(question: string, { io }: Invocation): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) {
    const [line = ""] = (await io.readStdin()).split(/\r?\n/, 1);
    if (line === "")
      throw new HubError(
        "invalid",
        "give the administrator's password on standard input, or a token with --token-file or HUB_TOKEN",
      );
    return line;
  }
  io.platform.stderr.write(question);
  stdin.setRawMode(true);
  try {
    return await typed(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    io.platform.stderr.write("\n");
  }
}

function typed(stdin: NodeJS.ReadStream): Promise<string> {
  const line = Promise.withResolvers<string>();
  let text = "";
  function take(character: string): void {
    if (character === "\r" || character === "\n") line.resolve(text);
    // Ctrl-C and Ctrl-D arrive as characters now.
    else if (character === "\u0003" || character === "\u0004") line.reject(new HubError("invalid", "nothing was done"));
    else text = character === "\u007f" || character === "\b" ? [...text].slice(0, -1).join("") : text + character;
  }
  const takeAll = (chunk: Buffer): void => [...chunk.toString("utf8")].forEach(take);
  stdin.on("data", takeAll);
  stdin.resume();
  return line.promise.finally(() => stdin.off("data", takeAll));
}
