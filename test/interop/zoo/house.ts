// The compiled hub as the broker of one program, which has an account of its own there.
import { writeFileSync } from "node:fs";
import { createHubPlace } from "../../support/hub-place.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { soon } from "../../support/wait.ts";
import type { Program, Run } from "./program.ts";

const PASSWORD = "a password for the zoo";
const END_MS = 5000;

export interface Device {
  id: string;
  name: string;
  device_type: string;
  plugin_id: string;
  available: boolean;
  attributes: Record<string, unknown>;
  schema?: { properties?: Record<string, { unit?: string }> };
}

export interface Broker {
  host: string;
  port: number;
  username: string;
  password: string;
}

/** What a program has around it. */
export interface Zoo extends AsyncDisposable {
  hub: HubProcess;
  broker: Broker;
  /** A folder that is gone in the end. */
  folder: string;
  /** The Python in which the programs are, and what lies beside it. */
  bin(name: string): string;
  /** Writes a file into the folder, and answers where. */
  put(name: string, text: string): string;
  run(command: readonly string[], options?: { env?: Record<string, string>; stdin?: string }): Run;
  devices(): Promise<Device[]>;
}

/** One account for one program. */
const accountOf = (program: Program): string => program.name.toLowerCase().replace(/\W+/g, "-");

/** `binary`: the hub's. `bin`: where the programs are. */
export async function openZoo(binary: string, bin: string, program: Program): Promise<Zoo> {
  await using stack = new AsyncDisposableStack();
  const username = accountOf(program);
  const topics = JSON.stringify(["homeassistant/#", ...program.topics]);
  const place = stack.use(
    createHubPlace(
      {
        toml: `[[mqtt.users]]
username = "${username}"
password = "${PASSWORD}"
publish = ${topics}
subscribe = ${topics}
`,
      },
      undefined,
      binary,
    ),
  );
  const hub = await place.start();
  const folder = stack.use(createTemporaryFolder());
  const zoo = {
    hub,
    broker: { host: "127.0.0.1", port: hub.mqttPort, username, password: PASSWORD },
    folder: folder.path,
    bin: (name: string) => `${bin}/${name}`,
    put(name: string, text: string): string {
      writeFileSync(folder.at(name), text);
      return folder.at(name);
    },
    devices: () => hub.get<Device[]>("/devices").then((all) => all.filter(({ plugin_id }) => plugin_id === username)),
  };
  const parts = stack.move();
  // What is started from now on is ended before the hub.
  const started: { kill(): Promise<void> }[] = [];
  return {
    ...zoo,
    run(command, options = {}) {
      const child = spawn(command, { folder: folder.path, ...options });
      started.push(child);
      return child.run;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((child) => child.kill()));
      await parts.disposeAsync();
    },
  };
}

interface Spawned {
  run: Run;
  kill(): Promise<void>;
}

function spawn(
  command: readonly string[],
  { folder, env = {}, stdin }: { folder: string; env?: Record<string, string>; stdin?: string },
): Spawned {
  const child = Bun.spawn([...command], {
    cwd: folder,
    // Nothing of the machine's own settings: each program has its home in the folder.
    env: { PATH: process.env.PATH ?? "", HOME: folder, LANG: "C.UTF-8", PYTHONUNBUFFERED: "1", ...env },
    stdin: stdin === undefined ? "ignore" : new TextEncoder().encode(stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  let log = "";
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) log += decoder.decode(chunk, { stream: true });
  };
  void Promise.all([read(child.stdout), read(child.stderr)]);
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const run: Run = {
    get log() {
      return child.exitCode === null ? log : `${log}\n(it ended with ${child.exitCode})`;
    },
    folder,
    async end() {
      child.kill("SIGINT");
      await soon("it ends", child.exited, END_MS).catch(() => kill());
    },
  };
  return { run, kill };
}
