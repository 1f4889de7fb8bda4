// MQTT streams, recorded and made up, against the compiled hub: bun test/interop/streams.ts [HUB] [REPLAYS]. Every packet must be
// answered and every message delivered once, also beside busy processes. Without the recording it says so, and replays the others.
import { join, resolve } from "node:path";
import { busyProcesses, madeUpStreams, recordedStreams, replayAll, startReplayHub } from "../support/stream-replay.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const [binary = join(import.meta.dir, "..", "..", "bin", "hub"), wanted = "1000"] = process.argv.slice(2);

async function main(): Promise<number> {
  const recorded = recordedStreams();
  if (!recorded) print("NOT RUN: test/interop/streams.ts: the recorded streams are not there");
  await using hub = await startReplayHub(resolve(binary));
  using _busy = busyProcesses(4);
  const { replays, messages, wrong } = await replayAll(hub, [...(recorded ?? []), ...madeUpStreams()], Number(wanted));
  for (const line of wrong.slice(0, 20)) print(`FAIL ${line}`);
  print(`${replays} streams with ${messages} messages replayed, ${wrong.length} failed`);
  return replays > 0 && wrong.length === 0 ? 0 : 1;
}

process.exit(await main());
