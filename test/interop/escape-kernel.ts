// The escape suite on real kernels that have no Landlock: Debian's own, booted in qemu with `lsm=` that does not name it, then without
// user namespaces as well, and, to compare, as Debian builds it. By hand: it needs a download and some minutes.
// Usage: bun test/interop/escape-kernel.ts [HUB [KERNEL.deb [BOOT]]], on x86-64. Needs qemu-system-x86, busybox-static, e2fsprogs, gcc with libc6-dev,
// setpriv and apt-get, which fetches one package that is not installed. Processors are emulated; nothing of the machine is changed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { broke, check, compare, print, printTotals } from "./checks.ts";
import { type Boot, bootMachine, fetchKernel, MARK, makeDisk, type Row } from "./escape/machine.ts";

const TIMEOUT_MS = 900_000;
const [hub = resolve(import.meta.dir, "..", "..", "bin", "hub"), given, only] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "hub-escape-kernel-"));

const BOOTS: readonly { boot: Boot; options: string; rows: number }[] = [
  { boot: "namespaces", options: "lsm=capability", rows: 2 },
  { boot: "calls", options: "lsm=capability", rows: 2 },
  { boot: "landlock", options: "", rows: 2 },
];

/** Each check of the guest is one of this script. */
async function enqueue(said: string): Promise<Row[]> {
  const lines = said.split("\n");
  for (const [index, line] of lines.entries()) {
    if (line.startsWith("     ") && !lines[index - 1]?.startsWith("FAIL")) print(line);
    const [, how, name = ""] = /^(ok|FAIL) +(.*)$/.exec(line) ?? [];
    if (how === "ok") compare(name, true, true);
    if (how === "FAIL")
      await check(name, () => {
        const more = lines[index + 1] ?? "";
        throw new Error(more.startsWith("     ") ? more.trim() : "in the guest");
      });
  }
  return lines.filter((line) => line.startsWith(MARK)).map((line): Row => JSON.parse(line.slice(MARK.length)));
}

try {
  const kernel = await fetchKernel(work, given && resolve(given));
  const disk = await makeDisk(work, resolve(hub));
  const rows: Row[] = [];
  for (const { boot, options, rows: expected } of BOOTS.filter(({ boot }) => only === undefined || boot === only)) {
    const said = await bootMachine({ kernel, disk, boot, options, timeoutMs: TIMEOUT_MS, folder: work });
    const found = await enqueue(said);
    compare(`${boot}: scenes`, found.length, expected);
    rows.push(...found);
  }
  print("\nboot\tuser\theld_by\ttried\trefused\tseconds\tdetail");
  for (const { boot, user, held_by, tried, refused, secs, detail } of rows)
    print([boot, user, held_by, tried, refused, secs, detail].join("\t"));
} catch (error) {
  broke(error);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = printTotals();
