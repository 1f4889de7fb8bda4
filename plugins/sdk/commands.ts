// Commands for devices: passed to the author's `onCommand`, and remembered as the cause of what it sets.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Cause, DeviceOptions, SendOptions } from "./definition.ts";
import { isObject, type LooseJson, messageOf, parseObject } from "./json.ts";
import type { Log } from "./log.ts";

export interface CommandTarget {
  id: string;
  onCommand: NonNullable<DeviceOptions["onCommand"]>;
  /** Gets the attributes that `onCommand` returned. */
  apply(attributes: LooseJson, options: SendOptions): void;
  /** Gets what `onCommand` threw, after it is logged. */
  refuse(reason: string, cause: Cause | undefined): void;
}

export interface Commands {
  run(payload: string, target: CommandTarget): void;
  /** The command for this device that the calling code is handling, also after an `await`. */
  causeFor(deviceId: string): Cause | undefined;
}

interface Running {
  deviceId: string;
  cause: Cause | undefined;
}

export function createCommands(log: Log): Commands {
  const running = new AsyncLocalStorage<Running>();

  function logFailure(deviceId: string, error: unknown): void {
    log.error("a command failed", { device_id: deviceId, error: messageOf(error) });
  }

  async function handle(payload: string, { id, onCommand, apply, refuse }: CommandTarget): Promise<void> {
    const message = parseObject(payload);
    if (!message) throw new Error("it is not a JSON object");
    const { _hc, ...command } = message;
    const cause = isObject(_hc) && isObject(_hc.command) ? _hc.command : undefined;
    const current: Running = { deviceId: id, cause };
    try {
      const result = await running.run(current, async () => onCommand(command, cause));
      if (result) apply(result, cause ? { cause } : {});
    } catch (error) {
      logFailure(id, error);
      refuse(messageOf(error), cause);
    } finally {
      // Timers that the command started run in its context too, but it is not the cause of what they do later.
      current.cause = undefined;
    }
  }

  return {
    run(payload, target) {
      handle(payload, target).catch((error: unknown) => logFailure(target.id, error));
    },
    causeFor(deviceId) {
      const current = running.getStore();
      return current?.deviceId === deviceId ? current.cause : undefined;
    },
  };
}
