// Recorded MQTT streams against the compiled hub: bun test/interop/streams.ts [HUB] [REPLAYS]. Every packet must be answered
// and every message delivered once, also beside busy processes. Without the recording it says so and checks nothing.
import { join, resolve } from "node:path";
import { busyProcesses, recordedStreams, replayAll, startReplayHub } from "../support/stream-replay.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const [binary = join(import.meta.dir, "..", "..", "bin", "hub"), replays = "1000"] = process.argv.slice(2);

async function main(): Promise<number> {
  const streams = recordedStreams();
  if (!streams) {
    print("NOT RUN, NOTHING OF IT IS CHECKED: test/interop/streams.ts: the recorded streams are not there");
    return 0;
  }
  await using hub = await startReplayHub(resolve(binary));
  using _busy = busyProcesses(4);
  const { messages, wrong } = await replayAll(hub, streams, Number(replays));
  for (const line of wrong.slice(0, 20)) print(`FAIL ${line}`);
  print(`${replays} streams with ${messages} messages replayed, ${wrong.length} failed`);
  return wrong.length === 0 ? 0 : 1;
}

process.exit(await main());
