// What a standby costs its hub: CPU time as a share of one core, megabytes an hour, and memory. A house of 200 devices that each report
// once a minute, with somebody who changes something three times a minute; the standby (the tests' own) asks every two seconds over one
// connection and has its first copy already. The twin is the same house without one, side by side.
// Megabytes an hour are those of the minute, times sixty, with what one checkpoint of the journal brings: rows in the database, and the
// history's samples, which go over once an hour.
import { join } from "node:path";
import type { HistoryAnswer } from "../../src/copies/standby/protocol.ts";
import { type AssembledCopy, assembleCopy, syncWhole } from "../support/assemble-copy.ts";
import { atMost, type Bench } from "./support/bench.ts";
import { type Message, openPublisher } from "./support/mqtt-publisher.ts";
import { type PreparedHub, prepareHome } from "./support/prepared-hub.ts";
import { countCpuNanos, rssMiB } from "./support/proc.ts";

const DEVICES = 200;
const REPORT_MS = 60_000 / DEVICES;
const PERSON_MS = 20_000;
const AT_ONCE = 5;
const ASK_MS = 2000;
const SETTLE_MS = 20_000;
const WINDOW_MS = 60_000;
const WINDOWS_IN_HOUR = 60;
const LIMIT_PERCENT = 1;
const LIMIT_MB = 5;
const LIMIT_MIB = 40;
const MACHINE = { id: "0123456789abcdef", name: "bench", address: "http://127.0.0.1:9" };

export const standbyCost: Bench = {
  name: "standby-cost",
  async run({ binary, folder, say }) {
    await using stack = new AsyncDisposableStack();
    const alone = await startHouse(binary, join(folder, "alone"), stack);
    const copied = await startHouse(binary, join(folder, "copied"), stack);
    const standby = await startStandby(copied, join(folder, "copy"));
    let asking = true;
    const asked = askAgainAndAgain(standby, () => asking);
    await Bun.sleep(SETTLE_MS);
    standby.bytes = 0;
    const [used, twin] = [countCpuNanos(copied.pid), countCpuNanos(alone.pid)];
    await Bun.sleep(WINDOW_MS);
    const percent = (nanos: number): number => (nanos / 1e6 / WINDOW_MS) * 100;
    const [with_, without] = [percent(used()), percent(twin())];
    const [rss, twinRss] = [rssMiB(copied.pid), rssMiB(alone.pid)];
    asking = false;
    await asked;
    const inWindow = standby.bytes;
    const checkpointed = await bytesOfCheckpoint(copied, standby);
    say(
      `${inWindow} bytes in a minute, ${checkpointed} for a checkpoint; ${with_} % with a standby, ${without} % without`,
    );
    return [
      atMost(
        "% of a core, a standby (twin: the hub without)",
        Math.max(0, with_ - without),
        without,
        LIMIT_PERCENT,
        "%",
      ),
      atMost("MB/h to a standby", (inWindow * WINDOWS_IN_HOUR + checkpointed) / 1e6, undefined, LIMIT_MB, "MB"),
      atMost("MiB of RSS, a standby (twin: the hub without)", rss - twinRss, twinRss, LIMIT_MIB, "MiB"),
    ];
  },
};

async function startHouse(binary: string, folder: string, stack: AsyncDisposableStack): Promise<PreparedHub> {
  const hub = stack.use(await prepareHome(folder, "").start(binary));
  const publisher = stack.use(await openPublisher(hub.mqttPort));
  publisher.publish(
    Array.from({ length: DEVICES }, (_, index) => report(index)),
    1,
  );
  while (publisher.acknowledged < DEVICES) await Bun.sleep(10);
  let count = DEVICES;
  const devices = setInterval(() => publisher.publish([report(count++)], 0), REPORT_MS);
  const person = setInterval(() => void hub.post("/areas", { name: `Room ${count}` }), PERSON_MS);
  stack.defer(() => {
    clearInterval(devices);
    clearInterval(person);
  });
  return hub;
}

/** Each device in its turn changes one attribute of four. */
function report(count: number): Message {
  const temperature = 200 + Math.floor(count / DEVICES) / 10;
  const payload = `{"temperature":${temperature},"humidity":50,"battery_pct":97,"mode":"auto"}`;
  return { topic: `hub/devices/sensor_${count % DEVICES}/state`, payload };
}

interface Standby {
  copy: AssembledCopy;
  /** Of all answers since it was set. */
  bytes: number;
  ask(path: string, body: unknown): Promise<Uint8Array>;
}

async function startStandby(hub: PreparedHub, folder: string): Promise<Standby> {
  const api = `http://127.0.0.1:${hub.port}/api/v1/standby`;
  const post = (path: string, token: string, body: unknown): Promise<Response> =>
    fetch(api + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { key } = (await (await post("/pair", hub.token, { machine: MACHINE })).json()) as { key: string };
  const standby: Standby = {
    copy: assembleCopy(folder, MACHINE),
    bytes: 0,
    async ask(path, body) {
      const response = await post(path, key, body);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      const bytes = await response.bytes();
      standby.bytes += bytes.length;
      return bytes;
    },
  };
  await syncWhole(standby.copy, (request) => standby.ask("/sync", request));
  return standby;
}

async function askAgainAndAgain(standby: Standby, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await syncWhole(standby.copy, (request) => standby.ask("/sync", request));
    await Bun.sleep(ASK_MS);
  }
}

/** What goes over once the hub has checkpointed an hour's readings, together with the history's samples of an hour. */
async function bytesOfCheckpoint(hub: PreparedHub, standby: Standby): Promise<number> {
  using publisher = await openPublisher(hub.mqttPort);
  const reports = DEVICES * WINDOWS_IN_HOUR;
  // Far above those of the minute, so that each is a change.
  for (let count = 100 * DEVICES; count < 100 * DEVICES + reports; count += AT_ONCE) {
    publisher.publish(
      Array.from({ length: AT_ONCE }, (_, index) => report(count + index)),
      1,
    );
    await Bun.sleep(AT_ONCE);
  }
  while (publisher.acknowledged < reports) await Bun.sleep(10);
  await syncWhole(standby.copy, (request) => standby.ask("/sync", request));
  await Bun.sleep(1000);
  const backup = await fetch(`http://127.0.0.1:${hub.port}/api/v1/system/backup`, {
    method: "POST",
    headers: { authorization: `Bearer ${hub.token}` },
  });
  await backup.bytes();
  standby.bytes = 0;
  await Bun.sleep(ASK_MS);
  await syncWhole(standby.copy, (request) => standby.ask("/sync", request));
  const samples = await allHistory(standby);
  if (samples < reports) throw new Error(`${samples} samples went over of ${reports}`);
  return standby.bytes;
}

/** How many samples there are. */
async function allHistory(standby: Standby): Promise<number> {
  for (let from = 0, samples = 0; ; ) {
    const page = Bun.zstdDecompressSync(
      (await standby.ask("/history", { from, most: 50_000 })) as Uint8Array<ArrayBuffer>,
    );
    const { series, through, mark } = JSON.parse(Buffer.from(page).toString()) as HistoryAnswer;
    samples += series.reduce((sum, row) => sum + (row.length - 2) / 4, 0);
    if (mark) return samples;
    from = through;
  }
}
