// From spawn to the first 200 of /health, on a home that is already laid out, with broker and sysmon configured as new
// homes have them. Asked every millisecond on a fresh raw socket. The twin is a bare compiled `Bun.serve`, asked the same
// way. The files are in the page cache: this is a restart, not the first start after boot.

import { freePort } from "../support/free-port.ts";
import { atMost, type Bench, type Row } from "./support/bench.ts";
import { startChild } from "./support/child.ts";
import { compileBare } from "./support/compile-bare.ts";
import { startHub, writeHome } from "./support/hub-under-test.ts";
import { percentile } from "./support/stats.ts";

const STARTS = 20;
const STARTS_BY_STEP = 5;
const LIMIT_FROM_SPAWN_MS = 60;
const LIMIT_MS = 10_000;

export const coldStart: Bench = {
  name: "cold-start",
  async run({ binary, folder, say }) {
    const twin = await compileBare(folder);
    const home = `${folder}/home`;
    const laidOut = await startHub({ binary, folder: home, sysmon: true });
    await laidOut[Symbol.asyncDispose]();
    const httpPort = freePort();
    writeHome({ folder: home, sysmon: true, httpPort });
    const hubMs: number[] = [];
    const twinMs: number[] = [];
    for (let start = -1; start < STARTS; start++) {
      const h = await timeToHealth([binary, "serve", "--home", home], httpPort);
      const t = await timeToHealth([twin, String(httpPort)], httpPort);
      if (start < 0) continue;
      hubMs.push(h);
      twinMs.push(t);
    }
    writeHome({ folder: home, sysmon: true, httpPort, toml: '\n[log]\nlevel = "debug"\n' });
    const steps = await timeSteps([binary, "serve", "--home", home]);
    say(`${STARTS} starts; fastest ${Math.min(...hubMs).toFixed(0)} ms, slowest ${Math.max(...hubMs).toFixed(0)} ms`);
    return [
      atMost("ms to /health, median", percentile(hubMs, 50), percentile(twinMs, 50), LIMIT_FROM_SPAWN_MS, "ms"),
      {
        ...atMost("ms to /health, p90", percentile(hubMs, 90), percentile(twinMs, 90), LIMIT_FROM_SPAWN_MS, "ms"),
        target: undefined,
        met: undefined,
      },
      ...steps,
    ];
  },
};

/** What the hub's own log says of its steps, those after /health too. */
async function timeSteps(command: string[]): Promise<Row[]> {
  const ms = new Map<string, number[]>();
  for (let start = 0; start < STARTS_BY_STEP; start++) {
    await using child = startChild(command);
    const [found = ""] = await child.printed(/milliseconds of the start, by step (.*)/);
    for (const [, step = "", took] of found.matchAll(/(\w+)=([\d.]+)/g))
      ms.set(step, [...(ms.get(step) ?? []), Number(took)]);
  }
  return [...ms].map(([step, all]) => ({
    name: `ms of the start: ${step}`,
    hub: percentile(all, 50),
    ...{ twin: undefined, ratio: undefined, target: undefined, met: undefined },
  }));
}

async function timeToHealth(command: string[], port: number): Promise<number> {
  const begun = performance.now();
  await using _child = startChild(command);
  while (performance.now() - begun < LIMIT_MS) {
    if (await healthy(port)) return performance.now() - begun;
    await Bun.sleep(1);
  }
  throw new Error(`${command[0]} was not healthy after ${LIMIT_MS} ms`);
}

function healthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void socket.write(`GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
        data(socket, chunk) {
          resolve(chunk.toString("latin1", 0, 12) === "HTTP/1.1 200");
          socket.terminate();
        },
        close: () => resolve(false),
        error: () => resolve(false),
      },
    }).catch(() => resolve(false));
  });
}
