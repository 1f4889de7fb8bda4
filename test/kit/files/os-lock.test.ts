import { expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { isHeldError, lockFile, lockFileShared } from "../../../src/kit/files/os-lock.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

function errorOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("one holder at a time; a shared lock shows whether there is one", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("lock");
  {
    using _held = lockFile(path);
    for (const lock of [lockFile, lockFileShared]) expect(isHeldError(errorOf(() => lock(path)))).toBe(true);
  }
  lockFileShared(path)[Symbol.dispose]();
  lockFile(path)[Symbol.dispose]();
});

test("the lock of a process that was killed is free", async () => {
  using folder = createTemporaryFolder();
  const path = folder.at("lock");
  const module = JSON.stringify(new URL("../../../src/kit/files/os-lock.ts", import.meta.url).pathname);
  const script = `import { lockFile } from ${module}; globalThis.held = lockFile(${JSON.stringify(path)}); console.log("held"); setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "ignore" });
  try {
    await child.stdout.getReader().read();
    expect(isHeldError(errorOf(() => lockFile(path)))).toBe(true);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
  lockFile(path)[Symbol.dispose]();
});

test("a file that is no database, or a folder that is missing, is another error than a lock that is held", async () => {
  using folder = createTemporaryFolder();
  await Bun.write(folder.at("text"), "this is not a database, and nobody takes it for one".repeat(100));
  chmodSync(folder.at("text"), 0o600);
  for (const path of [folder.at("text"), folder.at("missing", "lock")]) {
    const error = errorOf(() => lockFile(path));
    expect({ path, thrown: error !== undefined, held: isHeldError(error) }).toEqual({
      path,
      thrown: true,
      held: false,
    });
  }
  expect(statSync(folder.at("text")).size).toBeGreaterThan(1000);
});
