// Commands for devices: handed to the author's `onCommand`, and remembered as the cause of what it sets.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Cause, DeviceOptions, SendOptions } from "./device.ts";
import { isObject, type LooseJson, messageOf, parseObject } from "./json.ts";
import type { Log } from "./log.ts";

export interface CommandTarget {
  id: string;
  onCommand: NonNullable<DeviceOptions["onCommand"]>;
  /** Takes the attributes that `onCommand` returned. */
  apply(attributes: LooseJson, options: SendOptions): void;
}

export interface Commands {
  take(payload: string, target: CommandTarget): void;
  /** The command for this device that the calling code is working on, across its awaits. */
  causeFor(deviceId: string): Cause | undefined;
}

interface Running {
  deviceId: string;
  cause: Cause | undefined;
}

export function createCommands(log: Log): Commands {
  const running = new AsyncLocalStorage<Running>();

  async function run(payload: string, { id, onCommand, apply }: CommandTarget): Promise<void> {
    const message = parseObject(payload);
    if (!message) throw new Error("it is not a JSON object");
    const { _hc, ...command } = message;
    const asked = isObject(_hc) && isObject(_hc.command) ? _hc.command : undefined;
    const current: Running = { deviceId: id, cause: asked };
    try {
      const result = await running.run(current, async () => onCommand(command, asked));
      if (result) apply(result, asked ? { cause: asked } : {});
    } finally {
      // Timers that the command started still run in its context; what they do later has other causes.
      current.cause = undefined;
    }
  }

  return {
    take(payload, target) {
      run(payload, target).catch((error: unknown) =>
        log.error("a command failed", { device_id: target.id, error: messageOf(error) }),
      );
    },
    causeFor(deviceId) {
      const current = running.getStore();
      return current?.deviceId === deviceId ? current.cause : undefined;
    },
  };
}
