// hub logs: the log of the hub. A running hub is asked for it; of a stopped one its file is read, as that is when it is wanted most.
import { HubError } from "../../kit/schema/errors.ts";
import { isObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { isHomeLocked } from "../../server/home/lock.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import { type LogLine, type LogPart, lastLines, linesAfter } from "../../server/system/log-reader.ts";
import { type Command, homeOf, type Invocation } from "./command.ts";
import type { HubClient } from "./hub-client.ts";
import { reach, reachOptions } from "./reach.ts";
import { createPaint, type Paint } from "./rules/text.ts";

const LEVELS = ["debug", "info", "warning", "error"];
const LINES = 100;
const MAX_LINES = 1000;
const EVERY_MS = 1000;

export const logs: Command = {
  options: {
    ...reachOptions,
    follow: { type: "boolean", doc: "go on with what is written from now on, until Ctrl-C" },
    last: { type: "string", value: "N", doc: `how many lines to begin with, up to ${MAX_LINES}; default: ${LINES}` },
    lines: { type: "string", value: "N", doc: "the same as --last" },
    level: {
      type: "string",
      value: "LEVEL",
      values: LEVELS,
      doc: "only this level and above: debug, info, warning or error",
    },
    json: { type: "boolean", doc: "print one JSON object for each line" },
  },
  async run(invocation) {
    const { options, io } = invocation;
    const given = options.last ?? options.lines;
    const lines = given === undefined ? LINES : Number(given);
    if (!Number.isInteger(lines) || lines < 1 || lines > MAX_LINES)
      throw new HubError("invalid", `--last must be a number from 1 to ${MAX_LINES}`);
    const least = options.level === undefined ? 0 : LEVELS.indexOf(String(options.level));
    const { stdout } = io.platform;
    const write = createWriter(invocation, least);
    const source = await sourceFor(invocation);
    const first = await source.last(lines);
    write(first.lines);
    if (!options.follow) return 0;
    await follow(first.next, { source, write, invocation, isOver: () => stdout.isClosed === true });
    return 0;
  },
};

interface Source {
  last(lines: number): Promise<LogPart>;
  after(next: string): Promise<LogPart>;
}

async function sourceFor(invocation: Invocation): Promise<Source> {
  const { options, io } = invocation;
  const isRemote = options.url !== undefined && (options.token ?? io.platform.env.HUB_TOKEN) !== undefined;
  if (!isRemote) {
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    if (!isHomeLocked(home))
      return {
        last: async (lines) => lastLines(home.hubLog, lines),
        after: async (next) => linesAfter(home.hubLog, next),
      };
  }
  const { client } = await reach(invocation);
  return {
    last: (lines) => askFor(client, new URLSearchParams({ lines: String(lines) })),
    after: (after) => askFor(client, new URLSearchParams({ after })),
  };
}

async function askFor(client: HubClient, query: URLSearchParams): Promise<LogPart> {
  const answer = await client.ask("GET", `/system/log?${query}`);
  if (isObject(answer) && Array.isArray(answer.lines) && typeof answer.next === "string")
    return { lines: answer.lines as unknown as LogLine[], next: answer.next };
  throw new HubError("upstream_failed", "the hub gave no log");
}

interface Following {
  source: Source;
  write(lines: readonly LogLine[]): void;
  invocation: Invocation;
  /** Whether nobody reads any more. */
  isOver(): boolean;
}

async function follow(begin: string, { source, write, invocation: { io }, isOver }: Following): Promise<void> {
  const { clock, stderr } = io.platform;
  let isStopped = false;
  let isAway = false;
  let next = begin;
  const stopped = io.stopRequested().then(() => {
    isStopped = true;
  });
  while (!isStopped && !isOver()) {
    await Promise.race([stopped, new Promise<void>((resolve) => void clock.after("hub logs", EVERY_MS, resolve))]);
    if (isStopped) return;
    try {
      // What is left of a large piece comes at once.
      for (let piece = await source.after(next); ; piece = await source.after(next)) {
        write(piece.lines);
        next = piece.next;
        if (piece.lines.length === 0) break;
      }
      isAway = false;
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== "unavailable") throw error;
      if (!isAway) stderr.write("hub: it does not answer now; waiting for it\n");
      isAway = true;
    }
  }
}

function createWriter({ options, io: { platform } }: Invocation, least: number): Following["write"] {
  const paint = createPaint(platform.stdout, platform.env);
  const textOf = options.json ? (line: LogLine) => JSON.stringify(line) : (line: LogLine) => lineText(line, paint);
  return (lines) => {
    const shown = lines.filter(({ level }) => LEVELS.indexOf(level) >= least);
    if (shown.length > 0) platform.stdout.write(shown.map((line) => `${textOf(line)}\n`).join(""));
  };
}

function lineText({ at, level, part, message }: LogLine, paint: Paint): string {
  const text = message.split("\n").map(printable).join("\n");
  const word = level.padEnd("warning".length);
  const shown = level === "error" || level === "warning" ? paint("red", word) : word;
  return `${paint("dim", at)} ${shown} ${printable(part)}: ${text}`;
}
