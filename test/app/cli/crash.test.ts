// An error that nobody catches, as a process has it: it is noted before the process ends.
import { expect, test } from "bun:test";
import { join } from "node:path";

const PROCESS_IO = join(import.meta.dir, "..", "..", "..", "src", "app", "cli", "process-io.ts");
const CRASHES = {
  "an exception": "setTimeout(() => { throw new Error('boom'); }, 1)",
  "a rejection": "setTimeout(() => void Promise.reject(new Error('boom')), 1)",
};

for (const [what, crash] of Object.entries(CRASHES)) {
  test(`${what} is noted, and the process ends with an error`, async () => {
    const script = `
      const { processIo } = await import(${JSON.stringify(PROCESS_IO)});
      processIo().onCrash((error) => console.log("noted: " + error.message));
      ${crash};
      setTimeout(() => console.log("it goes on"), 30_000);`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: { PATH: process.env.PATH ?? "", BUN_BE_BUN: "1" },
      stdout: "pipe",
      stderr: "ignore",
    });
    expect(await new Response(child.stdout).text()).toBe("noted: boom\n");
    expect(await child.exited).toBe(1);
  });
}
