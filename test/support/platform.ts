// The five doors as a test holds them: collected output, real randomness, no network, an environment of its own.
import { randomBytes } from "node:crypto";
import type { Output, Platform } from "../../src/kit/lifecycle/platform.ts";
import type { Clock } from "../../src/kit/time/clock.ts";

export interface TestOutput extends Output {
  readonly text: string;
}

export function createTestOutput(): TestOutput {
  let text = "";
  return {
    isTerminal: false,
    isJournal: false,
    get text() {
      return text;
    },
    write(more) {
      text += more;
    },
  };
}

export interface TestPlatform extends Platform {
  stdout: TestOutput;
  stderr: TestOutput;
}

export function createTestPlatform(
  clock: Clock,
  env: Record<string, string> = { PATH: process.env.PATH ?? "" },
): TestPlatform {
  const refuse = (): never => {
    throw new Error("a test must not reach the network");
  };
  return {
    clock,
    fetch: Object.assign(refuse, { preconnect: refuse }),
    random: (bytes) => randomBytes(bytes),
    env,
    stdout: createTestOutput(),
    stderr: createTestOutput(),
  };
}
