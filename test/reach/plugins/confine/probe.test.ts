// A program that nobody knows yet, run to read what it says: it sees nothing of the house, reaches nobody, and does not stay.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import { type ConfinementOptions, createConfinement } from "../../../../src/reach/plugins/confine/confinement.ts";
import { probeLandlock } from "../../../../src/reach/plugins/confine/landlock.ts";
import { probeNamespaces } from "../../../../src/reach/plugins/confine/namespaces.ts";
import { createProbe } from "../../../../src/reach/plugins/confine/probe.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { createTestPlatform } from "../../../support/platform.ts";
import { isAlive } from "../../../support/processes.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";

const LANDLOCK = { landlock: probeLandlock, namespaces: probeNamespaces };
const NO_LANDLOCK = { landlock: () => ({ abi: 0, reason: "this kernel was built without Landlock" }) };
const MACHINES = [
  ...(probeLandlock().abi > 0 ? [{ by: "Landlock", means: LANDLOCK }] : []),
  ...(probeNamespaces().command ? [{ by: "namespaces", means: { ...LANDLOCK, ...NO_LANDLOCK } }] : []),
];

function rig(means: Pick<ConfinementOptions, "landlock" | "namespaces">) {
  const folder = createTemporaryFolder();
  const home = homeAt(folder.at("home"));
  for (const path of [home.bin, home.data, home.config]) mkdirSync(path, { recursive: true });
  writeFileSync(home.hubToml, "a secret");
  writeFileSync(home.stateDb, "a state");
  const isRoot = process.getuid?.() === 0;
  const confinement = createConfinement({
    ...{ ...means, home, execPath: process.execPath, secrets: [], isRoot, log: silentLog },
  });
  const probe = createProbe(confinement, createTestPlatform(createVirtualClock()).random);
  /** Runs a shell script as the candidate. */
  const run = (script: string, timeoutMs?: number) => {
    const file = join(home.bin, "hub.new");
    writeFileSync(file, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    return probe([file, "version"], timeoutMs === undefined ? {} : { timeoutMs });
  };
  return { home, folder, run, [Symbol.dispose]: folder[Symbol.dispose] };
}

describe.each(MACHINES)("held by $by", ({ means }) => {
  test("it runs, and is asked as on a command line", async () => {
    using one = rig(means);
    expect(await one.run('echo "hub 9.9.9 ($1)"; echo trouble >&2; exit 3')).toEqual({
      code: 3,
      stdout: "hub 9.9.9 (version)\n",
      stderr: "trouble\n",
    });
  });

  test("it neither reads nor changes anything of the home, and writes nowhere", async () => {
    using one = rig(means);
    const { home, folder } = one;
    const { stdout } = await one.run(
      [home.hubToml, home.stateDb]
        .map(
          (path) =>
            `cat ${path} 2>/dev/null && echo "read ${path}"; echo x 2>/dev/null >>${path} && echo "wrote ${path}"`,
        )
        .concat(
          `echo x 2>/dev/null >${folder.at("left")} && echo left; ls ${home.root} 2>/dev/null && echo listed; true`,
        )
        .join("\n"),
    );
    expect(stdout).toBe("");
    expect(readFileSync(home.hubToml, "utf8")).toBe("a secret");
    expect(existsSync(folder.at("left"))).toBe(false);
  });

  test("it reaches nobody, not even this machine", async () => {
    using one = rig(means);
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("reached") });
    const { stdout } = await one.run(`exec 2>/dev/null; : </dev/tcp/127.0.0.1/${server.port} && echo reached; true`);
    expect(stdout).toBe("");
  });

  test("one that does not end is ended, with what it has started", async () => {
    using one = rig(means);
    const { code, stdout } = await one.run("setsid sleep 1000 & echo $!; sleep 1000", 1500);
    expect(code).toBe(124);
    await until("what it started is gone", () => !isAlive(Number(stdout)));
  });

  test("one that wants more memory than there is for it gets none", async () => {
    using one = rig(means);
    const { code, stderr } = await one.run("dd bs=700M count=1 if=/dev/zero of=/dev/null; exit $?");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("memory exhausted") });
  });
});

test("where the kernel cannot confine it, it does not run, and the refusal says what to do", async () => {
  using one = rig({ ...NO_LANDLOCK, namespaces: () => ({ command: undefined, reason: "it has no namespaces" }) });
  const refused = await one.run(`echo ran > ${one.folder.at("ran")}`).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(HubError);
  expect(String(refused)).toMatch(/without Landlock.*`hub upgrade FILE`/);
  expect(existsSync(one.folder.at("ran"))).toBe(false);
});
