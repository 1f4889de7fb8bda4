// Other people's programs that announce devices, against the compiled hub, each with the table of what must appear of it, and what must
// reach it: bun test/interop/zoo.ts [HUB [PROGRAM…]]. A line for each row. They come from
// PyPI into ZOO_FOLDER, by default a folder of the system's temporary one; rtl_433 is Debian's. Needs Python 3.11 with venv.
// ZOO_SHOW=1 prints all of each device.
import { join, resolve } from "node:path";
import { soon } from "../support/wait.ts";
import { broke, print, printTotals } from "./checks.ts";
import { DEVICE } from "./zoo/device.ts";
import { DISCOVERABLE } from "./zoo/discoverable.ts";
import { ECOWITT } from "./zoo/ecowitt.ts";
import { openZoo } from "./zoo/house.ts";
import { installPrograms } from "./zoo/install.ts";
import { IOTURING } from "./zoo/ioturing.ts";
import { LNXLINK } from "./zoo/lnxlink.ts";
import { MQTT_IO } from "./zoo/mqtt-io.ts";
import type { Program } from "./zoo/program.ts";
import { PSMQTT } from "./zoo/psmqtt.ts";
import { RTL_433 } from "./zoo/rtl433.ts";
import { checkProgram } from "./zoo/table.ts";
import { THEENGS } from "./zoo/theengs.ts";

const PROGRAMS = [DISCOVERABLE, DEVICE, THEENGS, RTL_433, MQTT_IO, PSMQTT, ECOWITT, LNXLINK, IOTURING];
/** For one, with its hub. */
const MAX_MS = 120_000;

async function main(): Promise<number> {
  const [binary = join(import.meta.dir, "..", "..", "bin", "hub"), ...names] = process.argv.slice(2);
  const unknown = names.filter((name) => !PROGRAMS.some((one) => one.name === name));
  if (unknown.length > 0) {
    print(`There is no ${unknown.join(" and no ")} among ${PROGRAMS.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  const chosen = PROGRAMS.filter(({ name }) => names.length === 0 || names.includes(name));
  const bin = installPrograms();
  for (const program of chosen) {
    const begun = performance.now();
    print(`${program.name} ${program.version}`);
    const missing = program.missing?.();
    if (missing === undefined) await soon(program.name, play(resolve(binary), bin, program), MAX_MS).catch(broke);
    else print(`NOT RUN: ${program.name}: ${missing}`);
    print(`     ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  }
  return printTotals();
}

async function play(binary: string, bin: string, program: Program): Promise<void> {
  await using zoo = await openZoo(binary, bin, program);
  await checkProgram(zoo, program);
}

process.exit(await main());
