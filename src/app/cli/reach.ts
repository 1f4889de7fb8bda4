// Which hub a command asks: the one of the home, on this machine, with the rights of whoever may read the home; or, with a token
// or key, one anywhere.
import { readFileSync } from "node:fs";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { printable } from "../../kit/text/printable.ts";
import { isHomeLocked } from "../../server/home/lock.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { timezoneOf } from "../config/location.ts";
import type { HubConfig } from "../config/sections.ts";
import { homeOf, homeOption, type Invocation, type OptionValue } from "./command.ts";
import { type HubClient, openHubClient, openRemoteClient } from "./hub-client.ts";
import { readConfig } from "./prepare.ts";
import { type Clockface, createClockface } from "./rules/text.ts";
import { NOT_RUNNING } from "./usage.ts";

export const reachOptions = {
  ...homeOption,
  url: {
    type: "string",
    value: "ADDRESS",
    doc: "where the hub answers, if hub.toml does not say, or it is another one",
  },
  token: {
    type: "string",
    value: "TOKEN",
    doc: "a token or API key for that hub; better in HUB_TOKEN, which other users of the machine do not see",
  },
  ca: {
    type: "string",
    value: "FILE",
    completes: "file",
    doc: "the certificate that its own is signed with, if it is self-made",
  },
} as const;

export interface Reached {
  client: HubClient;
  /** Undefined for a hub that is asked with a token. */
  home: Home | undefined;
  config: HubConfig | undefined;
}

/** Throws HubError `unavailable` where the hub of the home is stopped. */
export async function reach(invocation: Invocation): Promise<Reached> {
  const { options, io } = invocation;
  const url = text(options.url);
  const token = text(options.token) ?? text(io.platform.env.HUB_TOKEN);
  const ca = text(options.ca);
  if (token !== undefined && url !== undefined)
    return {
      client: openRemoteClient({ url, token, ...(ca && { ca: readCa(ca) }) }),
      home: undefined,
      config: undefined,
    };
  const home = homeOf(invocation);
  using _owner = actAsOwner(home);
  const config = readConfig(home, io);
  if (!isHomeLocked(home)) throw notRunning(home);
  const client = await openHubClient({ home, config, platform: io.platform, url });
  return { client, home, config };
}

/** `why`: what it is needed for, as a part of a sentence. */
export function notRunning({ root }: Home, why?: string): HubError {
  return new HubError(
    "unavailable",
    `the hub in ${root} is not running${why === undefined ? "" : `, and ${why}`}: start it with \`hub serve\`, or as a service, or name another home with --home`,
  );
}

/** For times: in the house's zone, or UTC where that is not known. */
export function clockfaceOf({ config }: Reached): Clockface {
  return config ? createClockface(timezoneOf(config.location)) : { at: printable };
}

/** For a command that has something to show of a hub that does not run. Resolves with the exit code: that of `work`, or NOT_RUNNING, which is reported. */
export async function withRunningHub(
  invocation: Invocation,
  work: (reached: Reached) => Promise<number>,
  report: (message: string) => void,
): Promise<number> {
  try {
    return await work(await reach(invocation));
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "unavailable") throw error;
    report(error.message);
    return NOT_RUNNING;
  }
}

/** Undefined where the option was not given, or is empty. */
export function text(value: OptionValue): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function readCa(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HubError("invalid", `--ca: ${messageOf(error)}`);
  }
}
