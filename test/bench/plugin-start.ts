// From `POST /plugins/ID/start` to the first thing the plugin does: a shell script, and a script on the hub's own Bun.
// The twin is the same plugin with `confine = "off"`, in the same hub, in turn with it. And what a confined one holds of
// memory when it runs: nothing of what confined it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, cost, type Row } from "./support/bench.ts";
import { startHub } from "./support/hub-under-test.ts";
import { percentile } from "./support/stats.ts";

const STARTS = 20;
const LIMIT_MS = 10_000;
const KINDS = {
  "shell script": ["run", "#!/bin/sh\n: >begun\nexec sleep 1000\n"],
  TypeScript: ["run.ts", 'require("fs").writeFileSync("begun", ""); setInterval(() => {}, 1000);'],
} as const;

export const pluginStart: Bench = {
  name: "plugin-start",
  async run({ binary, folder, say }) {
    const home = join(folder, "home");
    const entries = Object.values(KINDS).flatMap(([file, text], kind) =>
      ["auto", "off"].map((confine) => {
        const id = idOf(kind, confine);
        mkdirSync(join(home, "plugins", id), { recursive: true });
        writeFileSync(join(home, "plugins", id, file), text, { mode: 0o755 });
        return `[[plugins]]\nid = "${id}"\nbinary = "plugins/${id}/${file}"\nconfine = "${confine}"\nenabled = false\n`;
      }),
    );
    await using hub = await startHub({ binary, folder: home, toml: entries.join("") });
    const token = await hub.login();
    const order = (id: string, verb: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${hub.port}/api/v1/plugins/${id}/${verb}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      });
    const timeOf = (id: string): Promise<number> => timeToBegin(order, id, join(home, "plugins", id, "begun"));
    const rows: Row[] = [];
    for (const [kind, name] of Object.keys(KINDS).entries()) {
      const [confined, free]: [number[], number[]] = [[], []];
      for (let start = -1; start < STARTS; start++) {
        const [c, f] = [await timeOf(idOf(kind, "auto")), await timeOf(idOf(kind, "off"))];
        if (start < 0) continue;
        confined.push(c);
        free.push(f);
      }
      say(`${name}: ${(percentile(confined, 50) - percentile(free, 50)).toFixed(1)} ms more to be confined`);
      rows.push(cost(`ms to a ${name}'s first act, median`, percentile(confined, 50), percentile(free, 50)));
      rows.push(
        cost(
          `MB of a running ${name}`,
          await memoryOf(order, idOf(kind, "auto")),
          await memoryOf(order, idOf(kind, "off")),
        ),
      );
    }
    return rows;
  },
};

function idOf(kind: number, confine: string): string {
  return `p${kind}-${confine}`;
}

type Order = (id: string, verb: string) => Promise<Response>;

async function timeToBegin(order: Order, id: string, mark: string): Promise<number> {
  rmSync(mark, { force: true });
  const begun = performance.now();
  const started = order(id, "start");
  while (!existsSync(mark)) {
    if (performance.now() - begun > LIMIT_MS) throw new Error(`${id} did not begin: ${await (await started).text()}`);
    await Bun.sleep(1);
  }
  const ms = performance.now() - begun;
  await started;
  await order(id, "stop");
  return ms;
}

async function memoryOf(order: Order, id: string): Promise<number> {
  const { pid } = (await (await order(id, "start")).json()) as { pid: number };
  await Bun.sleep(1000);
  const kilobytes = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  await order(id, "stop");
  return Number(kilobytes) / 1000;
}
