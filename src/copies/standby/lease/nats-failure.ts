// What went wrong with NATS, in words that say what to do.

import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { StandbySection } from "../config.ts";

/** Of JetStream's API. */
const [NOT_FOR_ACCOUNT, NO_PEERS] = [10_039, 10_005];

interface Asked {
  lease: string;
  config: Pick<StandbySection, "username">;
  /** What the node said of itself; undefined where it was not reached. */
  hasJetStream: boolean | undefined;
}

export function leaseFailure(error: unknown, { lease, config, hasJetStream }: Asked): HubError {
  if (error instanceof HubError) return error;
  const { name = "", code, cause } = (error ?? {}) as { name?: string; code?: unknown; cause?: unknown };
  const said = messageOf(error).replace(/\s+/g, " ").slice(0, 300);
  const fail = (errorCode: "config" | "unavailable", what: string) =>
    new HubError(errorCode, `the lease: NATS at ${lease} ${what}`, { cause: error });
  const names = [name, (cause as Error | undefined)?.name];
  if (names.includes("AuthorizationError"))
    return fail(
      "config",
      `does not accept ${config.username === undefined ? "this login" : `"${config.username}"`}: see username, password and token in [standby]`,
    );
  if (names.includes("PermissionViolationError"))
    return fail("config", `does not let this user do it (${said}): it needs $JS.API.>, $KV.> and _INBOX.>`);
  if (code === NOT_FOR_ACCOUNT || (name === "JetStreamNotEnabled" && hasJetStream !== true))
    return fail("config", "has no JetStream for this user: turn it on there (`jetstream {}` in its configuration)");
  if (code === NO_PEERS)
    return fail("unavailable", "has fewer than three nodes now, which the lease needs when it is made");
  if (/certificate|self.signed|CERT_|ALTNAME/i.test(`${String(code)} ${said}`))
    return fail("config", `has a certificate that is not trusted (${said}): see ca in [standby]`);
  return fail("unavailable", `does not answer: ${said}`);
}
