// The other machine of the house, as this one asks it where no lease decides.
import type { HubLink } from "../../../copies/standby/follow/hub-link.ts";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isObject } from "../../../kit/schema/json.ts";
import { sleep } from "../../../kit/time/clock.ts";
import type { HubConfig } from "../../config/sections.ts";
import type { Roles } from "./context.ts";

export interface OtherIs {
  role: string;
  epoch: number;
}

const WITHIN_MS = 2000;
const EVERY_MS = 15_000;

/** Undefined where it does not answer, or does not say. */
export async function askOther(roles: Roles, config: HubConfig): Promise<OtherIs | undefined> {
  const other = roles.other();
  if (!other) return undefined;
  try {
    return await askAt(roles.link(config, other.address), other.key);
  } catch (error) {
    roles.log.debug("the other machine does not say what it is", { why: messageOf(error) });
    return undefined;
  }
}

/** Closes the link. Rejects with HubError where nobody answers, `unauthenticated` where the key is not known there. */
export async function askAt(link: HubLink, key: string): Promise<OtherIs> {
  using asked = link;
  const answer = await asked.ask("GET", "/standby", { key, silentMs: WITHIN_MS });
  if (!isObject(answer) || typeof answer.role !== "string")
    throw new HubError("upstream_failed", `what answers at ${asked.origin} does not say what it is`);
  return { role: answer.role, epoch: Number(answer.epoch) || 0 };
}

/** Whether it is the hub, since this machine was. */
export async function isOtherTheHub(
  roles: Roles,
  config: HubConfig,
): Promise<{ address: string; epoch: number } | undefined> {
  const is = await askOther(roles, config);
  if (is?.role !== "hub" || is.epoch <= roles.file.epoch) return undefined;
  return { address: roles.other()?.address ?? "", epoch: is.epoch };
}

/** Reports, once, if the other machine became the hub while the two did not see each other. */
export function watchOther(roles: Roles, config: HubConfig, onHub: (reason: string) => void): Disposable {
  const ended = new AbortController();
  async function watch(): Promise<void> {
    while (await sleep(roles.clock, "the other machine", EVERY_MS, ended.signal)) {
      const other = await isOtherTheHub(roles, config);
      if (!other || ended.signal.aborted) continue;
      onHub(`a person has made the other machine, ${other.address}, the hub`);
      return;
    }
  }
  background(roles.log, "the other machine", watch());
  return { [Symbol.dispose]: () => ended.abort() };
}
