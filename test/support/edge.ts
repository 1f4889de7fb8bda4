// The five doors as a test holds them: collected output, real randomness, no network, an environment of its own.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../src/core/clock.ts";
import type { Edge, Output } from "../../src/core/edge.ts";

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

export interface TestEdge extends Edge {
  stdout: TestOutput;
  stderr: TestOutput;
}

export function createTestEdge(clock: Clock, env: Record<string, string> = { PATH: process.env.PATH ?? "" }): TestEdge {
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
