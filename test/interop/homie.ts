// Other people's Homie devices against the compiled hub: homie-device of npm (Homie 3), Homie4 and homie-spec of PyPI (Homie 4),
// ebus-sdk of PyPI (Homie 5). Each has a table of what must appear, a command that must arrive, and is killed, so that it is lost.
// Usage: bun test/interop/homie.ts [HUB]. Needs npm and python3-venv; the packages are installed for the time of the test.
import { join, resolve } from "node:path";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";
import { broke, check, print, printTotals } from "./checks.ts";

const NPM = "homie-device@3.0.1";
const PYPI = ["Homie4==0.4.0", "homie-spec==0.5.0", "ebus-sdk==0.27.0", "paho-mqtt==1.6.1"];
const ACCOUNT = { username: "homie", password: "a password for homie" };

interface Seen {
  name: string;
  device_type: string;
  available: boolean;
  parent_device_id?: string;
  attributes: Record<string, unknown>;
}

interface Publisher {
  title: string;
  command(work: string): string[];
  /** By the hub's id of the device. */
  appear: Readonly<Record<string, Partial<Seen>>>;
  commands: readonly {
    id: string;
    wanted: Record<string, unknown>;
    arrives: string;
    becomes?: Record<string, unknown>;
  }[];
}

const python = (file: string) => (work: string) => [
  join(work, "venv", "bin", "python"),
  join(import.meta.dir, "homie", file),
];

const PUBLISHERS: readonly Publisher[] = [
  {
    title: "homie-device 3.0.1, Homie 3",
    command: (work) => ["node", join(import.meta.dir, "homie", "device.cjs"), work],
    appear: {
      "homie_node-lamps": {
        ...{ name: "Node lamps", device_type: "light", available: true },
        attributes: { on: false, on_lights_1: true, temperature: 21.5 },
      },
    },
    commands: [
      {
        id: "homie_node-lamps",
        wanted: { on: true },
        arrives: "@lights_0/power true",
        becomes: { on: true, on_lights_1: true },
      },
      {
        id: "homie_node-lamps",
        wanted: { on_lights_1: false },
        arrives: "@lights_1/power false",
        becomes: { on_lights_1: false },
      },
    ],
  },
  {
    title: "Homie4 0.4.0, Homie 4",
    command: python("homie4.py"),
    appear: {
      "homie_py-dimmer": { name: "Python dimmer", device_type: "light", available: true },
      "homie_py-switch": { name: "Python switch", device_type: "switch", available: true },
      "homie_py-sensor": { device_type: "sensor", attributes: { temperature: 19.5, humidity: 55, battery: 80 } },
      "homie_py-heating": {
        attributes: { heatsetpoint: 70, temperature: 21.11, humidity: 30, systemmode: "Off", fanmode: "On" },
      },
    },
    commands: [
      {
        id: "homie_py-dimmer",
        wanted: { brightness_pct: 40 },
        arrives: "@dimmer/dimmer 40",
        becomes: { brightness_pct: 40 },
      },
      { id: "homie_py-switch", wanted: { on: true }, arrives: "@switch/switch ON", becomes: { on: true } },
      {
        id: "homie_py-heating",
        wanted: { heatsetpoint: 65 },
        arrives: "@controls/heatsetpoint 65.0",
        becomes: { heatsetpoint: 65 },
      },
    ],
  },
  {
    title: "homie-spec 0.5.0, Homie 4",
    command: python("spec.py"),
    appear: { "homie_py-coffee": { name: "Python coffee", available: true, attributes: { mode: "eco", cups: 3 } } },
    commands: [
      {
        id: "homie_py-coffee",
        wanted: { mode: "strong" },
        arrives: "@machine/mode strong",
        becomes: { mode: "strong" },
      },
    ],
  },
  {
    title: "ebus-sdk 0.27.0, Homie 5",
    command: python("ebus.py"),
    appear: {
      "homie_py-bridge": { name: "Python bridge", available: true },
      "homie_py-lamp": {
        ...{ name: "Python lamp", device_type: "light", available: true, parent_device_id: "homie_py-bridge" },
        attributes: {
          on: false,
          brightness: 102,
          brightness_pct: 40,
          color_rgb: "#ff8800",
          power_used: 7.5,
          power: 7.5,
        },
      },
    },
    commands: [
      { id: "homie_py-lamp", wanted: { on: true }, arrives: "@light/power true", becomes: { on: true } },
      {
        id: "homie_py-lamp",
        wanted: { brightness_pct: 20 },
        arrives: "@light/brightness 51",
        becomes: { brightness: 51 },
      },
      {
        id: "homie_py-lamp",
        wanted: { color_rgb: "#00ff00" },
        arrives: "@light/color rgb,0,255,0",
        becomes: { color_rgb: "#00ff00" },
      },
    ],
  },
];

async function install(work: string): Promise<void> {
  const venv = join(work, "venv");
  const run = async (...command: string[]): Promise<void> => {
    const child = Bun.spawn(command, { cwd: work, stdout: "ignore", stderr: "inherit" });
    if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} has failed`);
  };
  await Promise.all([
    run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", work, NPM),
    run("python3", "-m", "venv", venv).then(() => run(join(venv, "bin", "pip"), "-q", "install", ...PYPI)),
  ]);
}

async function isSo(hub: HubProcess, id: string, { attributes = {}, ...rest }: Partial<Seen>): Promise<void> {
  let seen: Seen | undefined;
  const has = (whole: object, part: object): boolean =>
    Object.entries(part).every(([key, value]) => Bun.deepEquals((whole as Record<string, unknown>)[key], value));
  const look = async (): Promise<boolean> => {
    const answer = await hub.request("GET", `/devices/${id}`);
    seen = answer.status === 200 ? answer.json<Seen & Record<string, unknown>>() : undefined;
    return seen !== undefined && has(seen, rest) && has(seen.attributes, attributes);
  };
  await until("the device is so", look, { everyMs: 50 }).catch(() => {
    throw new Error(
      `should be ${JSON.stringify({ ...rest, attributes })} but is ${JSON.stringify({ ...seen, schema: 0 })}`,
    );
  });
}

async function meet(hub: HubProcess, work: string, { title, command, appear, commands }: Publisher): Promise<void> {
  const { username, password } = ACCOUNT;
  const child = Bun.spawn([...command(work), String(hub.mqttPort), username, password], {
    stdout: "pipe",
    stderr: "pipe",
  });
  let received = "";
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const chunk of stream) received += new TextDecoder().decode(chunk);
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  try {
    for (const [id, wanted] of Object.entries(appear))
      await check(`${title}: ${id} appears`, () => isSo(hub, id, wanted));
    for (const { id, wanted, arrives, becomes } of commands)
      await check(`${title}: ${JSON.stringify(wanted)} arrives`, async () => {
        const answer = await hub.request("PATCH", `/devices/${id}/state`, { body: wanted });
        if (answer.status !== 202) throw new Error(`${answer.status}: ${answer.json().detail}`);
        await until("it is reported", () => received.split("\n").includes(arrives)).catch(() => {
          throw new Error(`it did not; it printed ${received.slice(-600)}`);
        });
        if (becomes) await isSo(hub, id, { attributes: becomes });
      });
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    await reading;
  }
  for (const id of Object.keys(appear))
    await check(`${title}: ${id} is lost`, () => isSo(hub, id, { available: false }));
}

async function main(): Promise<number> {
  const [binary = join(import.meta.dir, "..", "..", "bin", "hub")] = process.argv.slice(2);
  using folder = createTemporaryFolder();
  await install(folder.path);
  const rights = 'publish = ["homie/#"]\nsubscribe = ["homie/#"]';
  const toml = `[[mqtt.users]]\nusername = "${ACCOUNT.username}"\npassword = "${ACCOUNT.password}"\n${rights}\n`;
  await using place = createHubPlace({ toml }, undefined, resolve(binary));
  const hub = await place.start();
  for (const publisher of PUBLISHERS) await meet(hub, folder.path, publisher);
  return printTotals();
}

try {
  process.exitCode = await main();
} catch (error) {
  broke(error);
  print("The packages could not be installed, or the hub did not start.");
  process.exitCode = printTotals();
}
