// Exports of a real history (its worker, its file) to a real server on this machine, with a clock that the test moves.
import { randomBytes } from "node:crypto";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { HistoryExports } from "../../../src/reach/export/config.ts";
import { startExports } from "../../../src/reach/export/exports.ts";
import { openExportMemory } from "../../../src/reach/export/memory.ts";
import type { DeviceFacts } from "../../../src/reach/export/points.ts";
import type { Exports } from "../../../src/reach/export/running.ts";
import { type HistoryRig, startHistoryRig } from "../../house/history/history-rig.ts";
import { sectionOf } from "../../support/section.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";

export interface ExportRig extends AsyncDisposable {
  readonly history: HistoryRig;
  /** Starts the exports of hub.toml; those that run are stopped first. */
  start(...entries: object[]): Promise<Exports>;
  /** Lets time pass, a little at a time, until this is true. */
  pass(what: string, isSo: () => boolean, stepMs?: number): Promise<void>;
  /** What was logged. */
  log(): string;
}

const FACTS: DeviceFacts = { area: "kitchen", areaName: "Kitchen", plugin: "zigbee", isPassword: () => false };

export async function createExportRig(
  facts: (id: string) => DeviceFacts | undefined = () => FACTS,
): Promise<ExportRig> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  const history = stack.use(startHistoryRig({ path: folder.at("history.db") }));
  const db = stack.use(openTestState(folder.at("state.redb"), history.clock.now));
  let running: Exports | undefined;
  stack.defer(() => running?.[Symbol.asyncDispose]());
  const logged: string[] = [];
  const write = (message: string, fields: object = {}): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { ...silentLog, info: write, warn: write, error: write };
  const owned = stack.move();
  return {
    history,
    async start(...entries) {
      await running?.[Symbol.asyncDispose]();
      running = startExports({
        config: sectionOf(HistoryExports, entries),
        source: history.history,
        oldest: async () => (await history.history.kept()).first,
        memory: openExportMemory(db),
        device: facts,
        clock: history.clock,
        random: (bytes) => randomBytes(bytes),
        fetch,
        log,
        resolve: (path) => folder.at(path),
      });
      return running;
    },
    async pass(what, isSo, stepMs = 500) {
      await until(what, async () => {
        if (isSo()) return true;
        await history.clock.advance(stepMs);
        return isSo();
      });
    },
    log: () => logged.join("\n"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
