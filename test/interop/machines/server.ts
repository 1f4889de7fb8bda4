// A program on a machine of the house that can be killed and started again with the data that it has.
import { closeSync, openSync, readFileSync } from "node:fs";
import { until } from "../../support/wait.ts";
import type { Machine } from "./network.ts";

export interface Server {
  readonly name: string;
  readonly machine: Machine;
  /** All that it ever wrote to stdout and stderr. */
  output(): string;
  isRunning(): boolean;
  start(): Promise<void>;
  /** Its exit code is of no interest. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface ServerOptions {
  machine: Machine;
  command: readonly string[];
  env?: Record<string, string>;
  log: string;
  answers: () => boolean | Promise<boolean>;
}

export function createServer({ machine, command, env = {}, log, answers }: ServerOptions): Server {
  let child: Bun.Subprocess | undefined;
  const server: Server = {
    name: machine.name,
    machine,
    output: () => readFileSync(log, "utf8"),
    isRunning: () => child?.exitCode === null && child.signalCode === null,
    async start() {
      const file = openSync(log, "a");
      child = Bun.spawn(machine.on(command), {
        env: { PATH: process.env.PATH ?? "", ...env },
        stdio: ["ignore", file, file],
      });
      closeSync(file);
      const begun = child;
      await until(
        `${machine.name} answers`,
        () => {
          if (begun.exitCode !== null) throw new Error(`${machine.name} ended:\n${server.output().slice(-3000)}`);
          return Promise.resolve(answers()).catch(() => false);
        },
        { timeoutMs: 60_000, everyMs: 50 },
      );
    },
    async kill(signal = "SIGKILL") {
      child?.kill(signal);
      await child?.exited;
    },
  };
  return server;
}

/** Whether something listens there. */
export async function listens(hostname: string, port: number): Promise<boolean> {
  const socket = await Bun.connect({ hostname, port, socket: { data() {} } }).catch(() => undefined);
  socket?.terminate();
  return socket !== undefined;
}
