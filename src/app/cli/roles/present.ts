// What a machine of a house with two of them is, while it is not the hub.
import type { Json } from "../../../kit/schema/json.ts";

/** For the API and for people. Everything in it may be public. */
export interface Present {
  /** `waiting`: it would be the hub, and may not yet. */
  role: "standby" | "waiting" | "handing_over";
  /** Where the hub is, as far as this machine knows. */
  hub: { name: string | undefined; address: string } | undefined;
  /** Seconds; undefined where it has no whole copy. */
  behindSecs: number | undefined;
  /** What is wrong, or what it waits for. */
  problem: string | undefined;
}

/** Whom its server asks. */
export interface Acting {
  present(): Present;
  /** For whoever has the key. */
  details?(): Json;
  /** Throws HubError where it says why not. Resolves when it is decided that this machine becomes the hub. */
  promote?(force: boolean): Promise<string>;
  /** What only a hub that hands over answers. */
  answer?(request: Request, path: string): Promise<Response> | undefined;
}

/** `standby of kitchen-pi (http://192.168.1.20:8080), 3 s behind` */
export function lineOf({ role, hub, behindSecs, problem }: Present): string {
  const name = hub ? (hub.name === undefined ? hub.address : `${hub.name} (${hub.address})`) : "a hub";
  const trouble = problem === undefined ? "" : `: ${problem}`;
  if (role === "waiting") return `not the hub yet${trouble}`;
  if (role === "handing_over") return `handing over to ${name}${trouble}`;
  const age = behindSecs === undefined ? "no whole copy yet" : `${Math.round(behindSecs)} s behind`;
  return `standby of ${name}, ${age}${trouble}`;
}
