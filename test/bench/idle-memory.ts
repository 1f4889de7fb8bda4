// Memory of the idle hub, with its broker and with sysmon connected; sysmon's own process is not counted.
//
// RSS is what `top` reports: it counts the pages of the executable that were touched, which are Bun's own code and are
// shared with every other process of the same file (sysmon runs on it). PSS counts those by share, and "own" (anonymous)
// is what the hub itself holds. The twin is a bare compiled `Bun.serve`.
import { atMost, type Bench, cost, type Row } from "./support/bench.ts";
import { startChild } from "./support/child.ts";
import { compileBare } from "./support/compile-bare.ts";
import { startHub } from "./support/hub-under-test.ts";
import { children, type Memory, memory } from "./support/proc.ts";

/** Longer than the hub takes to give back what only its start needed. */
const SETTLE_MS = 16_000;
const LIMIT_MIB = 60;
const OWN_LIMIT_MIB = 15;

export const idleMemory: Bench = {
  name: "idle-memory",
  async run({ binary, folder, brief, say }) {
    await using stack = new AsyncDisposableStack();
    const twin = stack.use(startChild([await compileBare(folder)]));
    const [twinPort] = await twin.printed(/http port=(\d+)/);
    const hub = stack.use(await startHub({ binary, folder: `${folder}/home`, sysmon: true }));
    for (const port of [twinPort, hub.port]) await fetch(`http://127.0.0.1:${port}/api/v1/health`);
    if (!brief) await Bun.sleep(SETTLE_MS);
    const bare = memory(twin.pid);
    const rows = brief ? [] : rowsOf("first start, before any login", memory(hub.pid), bare);
    const token = await hub.login();
    const devices = await fetch(`http://127.0.0.1:${hub.port}/api/v1/devices`, {
      headers: { authorization: `Bearer ${token}` },
    });
    say(`sysmon reports ${((await devices.json()) as unknown[]).length} devices; its process is ${children(hub.pid)}`);
    if (!brief) await Bun.sleep(SETTLE_MS);
    if (!brief) rows.push(...rowsOf("after a login", memory(hub.pid), bare));
    await hub[Symbol.asyncDispose]();

    const again = stack.use(startChild([binary, "serve", "--home", `${folder}/home`]));
    await again.printed(/the hub is (up)/);
    await Bun.sleep(SETTLE_MS);
    rows.push(...rowsOf("started again, before any login", memory(again.pid), bare));
    return rows;
  },
};

function rowsOf(when: string, hub: Memory, twin: Memory): Row[] {
  return [
    atMost(`RSS MiB, ${when}`, hub.rss, twin.rss, LIMIT_MIB, "MiB"),
    cost(`PSS MiB, ${when}`, hub.pss, twin.pss),
    atMost(`own MiB, ${when}`, hub.anonymous, twin.anonymous, OWN_LIMIT_MIB, "MiB"),
  ];
}
