// hub device: shows one device of the running hub, or commands it and says what became of that.
import { HubError } from "../../../kit/schema/errors.ts";
import type { Command } from "../command.ts";
import { reach, reachOptions } from "../reach.ts";
import { get } from "./get.ts";
import { set } from "./set.ts";

const ACTIONS = { get, set };

export const device: Command = {
  options: {
    ...reachOptions,
    force: {
      type: "boolean",
      doc: "set: also a device that is not available, or with an attribute that looks mistyped",
    },
    wait: {
      type: "string",
      value: "SECS",
      doc: "set: how long to wait for the device's answer; default: 12, and 0 waits for none",
    },
    json: { type: "boolean", doc: "print JSON" },
  },
  maxPositionals: 100,
  completes: { get: ["device", "reported"], set: ["device", "wanted"] },
  async run(invocation) {
    const [word = "", name, ...rest] = invocation.positionals;
    if (!Object.hasOwn(ACTIONS, word) || name === undefined)
      throw new HubError("invalid", "say `hub device get DEVICE` or `hub device set DEVICE ATTRIBUTE=VALUE`");
    const act = ACTIONS[word as keyof typeof ACTIONS];
    return await act({ invocation, reached: await reach(invocation), name, rest });
  },
};
