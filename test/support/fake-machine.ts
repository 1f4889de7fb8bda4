// A machine that notes the commands it is asked to run instead of running them, with answers for some. It stands at the
// door to systemd and to the users of this machine; files are real ones.
import type { Machine, Ran } from "../../src/server/system/service/machine.ts";

export interface FakeMachine extends Machine {
  /** Every command so far that changes something, as one line. */
  readonly changes: string[];
}

export type Answer = Partial<Ran> | ((argv: readonly string[]) => Partial<Ran> | Promise<Partial<Ran>>);

const ASKING = /^(id|getent|journalctl|systemctl show|systemctl --version)\b|version$/;

export interface FakeMachineOptions {
  unitFolder: string;
  systemd?: boolean;
  /** By the beginning of the command's line; what is not named here succeeds and says nothing. */
  answers?: Readonly<Record<string, Answer>>;
}

export function createFakeMachine({ unitFolder, systemd = true, answers = {} }: FakeMachineOptions): FakeMachine {
  const changes: string[] = [];
  return {
    changes,
    unitFolder,
    hasSystemd: () => systemd,
    platform: process.platform,
    arch: process.arch,
    async run(argv) {
      const line = argv.join(" ");
      if (!ASKING.test(line)) changes.push(line);
      const found = Object.entries(answers).find(([beginning]) => line.startsWith(beginning))?.[1];
      const answer = typeof found === "function" ? await found(argv) : found;
      return { code: 0, stdout: "", stderr: "", ...answer };
    },
  };
}
