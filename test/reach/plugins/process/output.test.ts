import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createLineSplitter, lastLines } from "../../../../src/reach/plugins/process/line-splitter.ts";
import { createRig, PASSWORD, textOf, until } from "../rig.ts";

test("lines are cut at their maximum length, and one without a newline costs one buffer", () => {
  const lines: string[] = [];
  const splitter = createLineSplitter(4, (line) => lines.push(line));
  for (const part of ["ab", "c\nabcdefgh", "ij\n\nxy", "z"]) splitter.push(Buffer.from(part));
  splitter.push(Buffer.from([10, 0xff, 0xfe, 10]));
  splitter.end();
  expect(lines).toEqual(["abc", "abcd", "", "xyz", "\ufffd\ufffd"]);
});

test("the last lines of a chunk are whole lines", () => {
  const chunk = Buffer.from("1\n2\n3\n4\n5");
  expect(lastLines(chunk, 2).skipped).toBe(2);
  expect(Buffer.from(lastLines(chunk, 2).rest).toString()).toBe("3\n4\n5");
  expect(lastLines(chunk, 9)).toEqual({ skipped: 0, rest: chunk });
});

test("output goes to the log without the password, also where a long line is cut", async () => {
  const script = `#!/bin/sh
printf '%4080s' x; echo "$HUB_MQTT_PASSWORD and more"
echo "token=abcdef $HUB_MQTT_PASSWORD"; printf '\\033[31mred\\033[0m \\377\\n'; printf unfinished\n`;
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": script });
  await rig.plugins.start("p");
  const exit = await until("it ended", () => rig.plugins.get("p").last_exit);
  await rig.plugins.stop("p");
  expect(exit.output.slice(1)).toEqual(["token=[redacted] [redacted]", "red \ufffd", "unfinished"]);
  expect(exit.output[0]).not.toContain(PASSWORD.slice(0, 8));
  expect(rig.plugins.log("p", 2).map((line) => line.replace(/^\S+ /, ""))).toEqual(["red \ufffd", "unfinished"]);
  const long = rig.plugins.log("p", 1000);
  expect(long.some((line) => line.endsWith("--- ended by itself with exit code 0"))).toBe(true);
  expect(textOf(rig.home.plugin("p").log)).not.toContain(PASSWORD.slice(0, 8));
});

/** Bytes that a process has written, to whatever it may be. */
const printedBy = (pid: number | null): number =>
  Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);

for (const [what, command] of [
  ["lines", "exec yes"],
  ["one line", "exec tr '\\0' x < /dev/zero"],
]) {
  test(`printing ${what} without end costs neither the disk nor memory, and leaves the event loop free`, async () => {
    await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": `#!/bin/sh\n${command}\n` });
    const before = process.memoryUsage.rss();
    await rig.plugins.start("p");
    const { pid } = rig.plugins.get("p");
    let turns = 0;
    // Much more than may be written: it has to wait at its pipe until the hub has read so much.
    await until("it has printed 2 MiB", () => ++turns > 0 && printedBy(pid) > 2 * 1024 * 1024);
    expect(turns).toBeGreaterThan(20);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
    expect(rig.plugins.log("p", 5).length).toBeGreaterThan(0);
    expect(rig.plugins.get("p").pid).toBe(pid);
    await rig.plugins.stop("p");
    const { logs } = rig.home.plugin("p");
    const written = readdirSync(logs).reduce((sum, name) => sum + statSync(join(logs, name)).size, 0);
    expect(written).toBeLessThan(400 * 1024);
  });
}

test("a log file that cannot be written stops nothing", async () => {
  const script = "#!/bin/sh\necho hello; exec sleep 60\n";
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": script, "plugins/p/logs": "in the way" });
  await rig.plugins.start("p");
  const line = await until("a line in memory", () => rig.plugins.log("p", 1)[0]);
  expect(line).toEndWith(" hello");
  expect(rig.plugins.log("p", 100)).toHaveLength(1);
});
