// The author's own work: started, stopped, and restarted with another configuration.
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
  /** Restarts the work with a new configuration. When that fails, the earlier one is restored and the reason thrown. */
  change(edited: JsonObject): Promise<void>;
}

export function createWork({ start, config, devices, actions, timers }: WorkOptions): Work {
  let stop: Stop | undefined;
  let changing: Promise<void> = Promise.resolve();

  async function startAnew(): Promise<void> {
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
      await startAnew();
    } catch (error) {
      config.undo();
      await startAnew();
      throw new Error(
        `the plugin does not start with it, so the earlier configuration was restored: ${messageOf(error)}`,
      );
    }
  }

  return {
    start: startAnew,
    end,
    change(edited) {
      const result = changing.then(() => change(edited));
      // The next change waits for this one, even if it fails.
      changing = result.catch(() => undefined);
      return result;
    },
  };
}
