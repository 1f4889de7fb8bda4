// The author's own work: started, stopped, and started again with another configuration.
import type { Actions } from "./actions.ts";
import type { Stop } from "./definition.ts";
import type { Devices } from "./devices.ts";
import { type JsonObject, messageOf } from "./json.ts";
import type { Checked } from "./schema.ts";
import type { Timers } from "./timers.ts";

export interface WorkOptions {
  start(): undefined | Stop | Promise<undefined | Stop>;
  config: { replace(edited: JsonObject): Checked<undefined>; undo(): void };
  devices: Devices;
  actions: Actions;
  timers: Timers;
}

export interface Work {
  start(): Promise<void>;
  end(): Promise<void>;
  /** Puts a new configuration to work; when that fails the earlier one is back, and the reason is thrown. */
  change(edited: JsonObject): Promise<void>;
}

export function createWork({ start, config, devices, actions, timers }: WorkOptions): Work {
  let stop: Stop | undefined;
  let changing: Promise<void> = Promise.resolve();

  async function startAfresh(): Promise<void> {
    timers.clear();
    actions.clear();
    await devices.refresh(async () => {
      stop = await start();
    });
  }

  async function end(): Promise<void> {
    timers.clear();
    await actions.stop();
    const last = stop;
    stop = undefined;
    await last?.();
  }

  async function change(edited: JsonObject): Promise<void> {
    const replaced = config.replace(edited);
    if (!replaced.ok) throw new Error(replaced.problems.join("; "));
    await end();
    try {
      await startAfresh();
    } catch (error) {
      config.undo();
      await startAfresh();
      throw new Error(`the plugin does not start with it, so the earlier configuration is back: ${messageOf(error)}`);
    }
  }

  return {
    start: startAfresh,
    end,
    change(edited) {
      const turn = changing.then(() => change(edited));
      // The next one waits for this one, however it ends.
      changing = turn.catch(() => undefined);
      return turn;
    },
  };
}
