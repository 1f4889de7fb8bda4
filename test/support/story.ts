// One test whose steps build on each other, each with its name: what stands in the way of one would stand in the way of all after it.
import { test } from "bun:test";

export type Step = (name: string, work: () => unknown) => void;

/** The steps are run in the order in which they are added, each when the one before it is over. */
export function story(name: string): Step {
  const steps: [name: string, work: () => unknown][] = [];
  test(name, async () => {
    for (const [step, work] of steps) {
      try {
        await work();
      } catch (error) {
        throw new Error(`the step "${step}" failed`, { cause: error });
      }
    }
  });
  return (step, work) => void steps.push([step, work]);
}
