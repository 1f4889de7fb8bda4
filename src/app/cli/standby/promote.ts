// hub standby promote: makes this machine the hub, and waits until it is.
import { isPaired, readMachine } from "../../../copies/standby/machine.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject } from "../../../kit/schema/json.ts";
import { sleep } from "../../../kit/time/clock.ts";
import { actAsOwner } from "../../../server/home/owner.ts";
import { homeOf, type Invocation, print } from "../command.ts";
import { type Local, openLocal } from "./local.ts";

const WITHIN_MS = 150_000;
const EVERY_MS = 300;

export async function promote(invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  const home = homeOf(invocation);
  using _owner = actAsOwner(home);
  const file = isPaired(home) ? readMachine(home) : undefined;
  if (!file)
    throw new HubError("conflict", "this machine is no standby: make it one first, with `hub standby --of URL`");
  if (file.role === "hub") throw new HubError("conflict", "this machine is the hub already");
  using local = openLocal(home, file, invocation);
  const { clock } = io.platform;
  const answer = await local.link.ask("POST", "/standby/promote", {
    key: local.key,
    body: { force: options.force === true },
  });
  if (isObject(answer) && !options.json) io.platform.stdout.write(`${String(answer.message)}\n`);
  const until = clock.mono() + WITHIN_MS;
  while (clock.mono() < until) {
    await sleep(clock, "promote", EVERY_MS);
    if (await isHub(local)) {
      print(invocation, { role: "hub" }, () => "this machine is the hub now\n");
      return 0;
    }
  }
  throw new HubError("unavailable", "this machine is not the hub yet: `hub standby status` and the log say why");
}

/** The hub of a house says of itself that all of it has started, or all that is not off; a standby says that it is one. */
async function isHub({ link }: Local): Promise<boolean> {
  try {
    const health = await link.ask("GET", "/health", { silentMs: 2000 });
    if (!isObject(health) || (health.role !== undefined && health.role !== "hub")) return false;
    return health.ready === true || health.status === "degraded";
  } catch {
    return false;
  }
}
