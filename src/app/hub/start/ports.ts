// The ports of the parts that others hold before they are there, or that a safe start leaves out.
import type { Backups } from "../../../copies/backup/backups.ts";
import type { Discovery } from "../../../house/discovery/discovery.ts";
import type { Kept } from "../../../kit/lifecycle/kept.ts";
import type { PublicOf } from "../../../kit/lifecycle/public-of.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Mqtt } from "../../../reach/mqtt/start.ts";
import type { Plugins } from "../../../reach/plugins/supervisor.ts";
import type { Rules } from "../../../rules/rules.ts";
import type { ChatCommands } from "../chat-commands.ts";
import type { ApiAddress } from "../options.ts";
import type { WiredNotices } from "../wire-notices.ts";
import type { Notifications } from "../wire-notify.ts";
import type { PartStarter } from "./part-starter.ts";
import { createPort } from "./port.ts";

export type Ports = ReturnType<typeof createPorts>;

export function createPorts({ refusal }: Pick<PartStarter, "refusal">) {
  return {
    mqtt: createPort<Mqtt>(refusal("mqtt")),
    notify: createPort<Notifications>(refusal("notify")),
    notices: createPort<WiredNotices>(refusal("notify")),
    rules: createPort<PublicOf<Rules>>(refusal("rules")),
    plugins: createPort<Plugins>(refusal("plugins")),
    backups: createPort<Backups>(refusal("backup")),
    discovery: createPort<Discovery>(notYet),
    api: createPort<ApiAddress>(notYet),
    chatCommands: createPort<ChatCommands>(notYet),
    /** Never attached where nobody waits for the other machine of the house. */
    kept: createPort<Kept>(notYet),
  };
}

function notYet(): never {
  throw new HubError("unavailable", "the hub is starting");
}
