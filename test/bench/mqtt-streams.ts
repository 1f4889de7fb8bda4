// bun test/bench/mqtt-streams.ts [HUB] [IDLE] [LOADED]: replays MQTT streams against the compiled hub, 15,000 times and then
// 5,000 times beside four busy processes, and counts every answer and every delivery. By hand only: it takes minutes.
import { join, resolve } from "node:path";
import { busyProcesses, madeUpStreams, recordedStreams, replayAll, startReplayHub } from "../support/stream-replay.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const [binary = join(import.meta.dir, "..", "..", "bin", "hub"), idle = "15000", loaded = "5000"] =
  process.argv.slice(2);

async function main(): Promise<number> {
  await using hub = await startReplayHub(resolve(binary));
  const streams = [...(recordedStreams() ?? []), ...madeUpStreams()];
  let failed = 0;
  for (const [what, replays, busy] of [
    ["beside nothing else", Number(idle), 0],
    ["beside four busy processes", Number(loaded), 4],
  ] as const) {
    using _busy = busyProcesses(busy);
    const begun = performance.now();
    const { messages, wrong } = await replayAll(hub, streams, replays);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    for (const line of wrong.slice(0, 10)) print(`  ${line}`);
    print(`${what}: ${replays} replays with ${messages} messages in ${seconds} s, ${wrong.length} failed`);
    failed += wrong.length;
  }
  return failed === 0 ? 0 : 1;
}

process.exit(await main());
