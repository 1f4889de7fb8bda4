import { expect, test } from "bun:test";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { alive, createRig, pidIn, until } from "./rig.ts";

const STUBBORN = '#!/bin/sh\ntrap "" TERM\necho $$ > pid\nwhile :; do sleep 1; done\n';
const FAMILY =
  "#!/bin/sh\nsh -c 'trap \"\" TERM HUP; sleep 300 & echo $! > grandchild; wait' &\nsetsid sleep 300 & echo $! > stray\nsetsid env -i sleep 300 & echo $! > bare\nexec sleep 300\n";

test("a plugin that ignores SIGTERM is killed after five seconds", async () => {
  const clock = createVirtualClock();
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": STUBBORN }, { clock });
  await rig.plugins.start("p");
  const pid = await until("it ignores SIGTERM", () => pidIn(`${rig.home.plugin("p").root}/pid`));
  const stopping = rig.plugins.stop("p");
  await until("the hub waits", () => clock.pending().includes("plugin stop"));
  await clock.advance(4900);
  expect(alive(pid)).toBe(true);
  await clock.advance(200);
  expect(await stopping).toMatchObject({ status: "stopped", pid: null, last_exit: { signal: "SIGKILL" } });
  expect(alive(pid)).toBe(false);
});

test("its descendants end with it, also one in a session of its own, and one with nothing in its environment", async () => {
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": FAMILY });
  await rig.plugins.start("p");
  const at = (name: string) => pidIn(`${rig.home.plugin("p").root}/${name}`);
  const descendants = [
    await until("a grandchild", () => at("grandchild")),
    await until("a process that left the group", () => at("stray")),
    await until("one that emptied its environment as well", () => at("bare")),
  ];
  expect(descendants.filter(alive)).toEqual(descendants);
  await rig.plugins.stop("p");
  await until("they are gone", () => !descendants.some(alive));
});

test("processes that it leaves behind when it ends by itself are killed too", async () => {
  const script = "#!/bin/sh\nsleep 300 & echo $! > left\nexit 0\n";
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": script });
  await rig.plugins.start("p");
  const left = await until("something is left", () => pidIn(`${rig.home.plugin("p").root}/left`));
  await until("it is gone", () => !alive(left));
  expect(await until("last_exit is set", () => rig.plugins.get("p").last_exit)).toMatchObject({ code: 0 });
});

test("stopping while it starts leaves no process, and it is not restarted", async () => {
  const clock = createVirtualClock();
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": "#!/bin/sh\nexec sleep 60\n" }, { clock });
  const [started, stopped] = await Promise.all([rig.plugins.start("p"), rig.plugins.stop("p")]);
  expect(started.pid).toBeGreaterThan(0);
  expect(stopped).toMatchObject({ status: "stopped", pid: null });
  expect(alive(started.pid ?? 0)).toBe(false);
  await clock.advance(600_000);
  expect(rig.plugins.get("p").pid).toBe(null);
  expect(rig.revoked).toEqual(["p"]);
});

test("disposing stops all plugins at the same time", async () => {
  const clock = createVirtualClock();
  const entries = ["a", "b", "c"].map((id) => ({ id, binary: "p.sh" }));
  const rig = createRig(entries, { "p.sh": STUBBORN }, { clock });
  rig.plugins.startAll();
  const pids = await until("all run", () => {
    const found = entries.map(({ id }) => pidIn(`${rig.home.plugin(id).root}/pid`));
    return found.every((pid) => pid !== undefined) && found.map(Number);
  });
  const disposed = rig[Symbol.asyncDispose]();
  await until(
    "the hub waits for all three",
    () => clock.pending().filter((name) => name === "plugin stop").length === 3,
  );
  await clock.advance(5000);
  await disposed;
  expect(pids.filter(alive)).toEqual([]);
  expect(await rig.plugins.start("a").catch((error) => error.code)).toBe("unavailable");
});
