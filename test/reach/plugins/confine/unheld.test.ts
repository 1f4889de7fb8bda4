// Plugins that are not kept to their folder: by the filter of system calls alone, and by nothing.
import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { probeLandlock } from "../../../../src/reach/plugins/confine/landlock.ts";
import { probeNamespaces } from "../../../../src/reach/plugins/confine/namespaces.ts";
import { createRig } from "../rig.ts";
import { attempt, landlock, ranOn, SECRET } from "./confine-rig.ts";

describe("without Landlock and namespaces", () => {
  const namespaces = () => ({ command: undefined, reason: "this machine lets the hub make no namespaces" });
  const nothing = { landlock, namespaces };
  const script = `#!/bin/sh\n${attempt("cat ../../config/hub.toml")}`;

  test("auto filters its system calls alone, and logs that once", async () => {
    await using run = await ranOn(script, {}, nothing);
    expect(run.text("out")).toBe(SECRET);
    expect(run.rig.plugins.get("p")).toMatchObject({
      confined: false,
      held_by: "system_calls",
      confined_detail:
        "a filter of system calls alone, so it can read what the hub can: this kernel was built without Landlock, and this machine lets the hub make no namespaces",
    });
    expect(run.rig.plugins.unconfined()).toBe(1);
    run.rig.plugins.startAll();
    expect(run.rig.warned.filter((line) => line.includes("not confined"))).toHaveLength(1);
    expect(run.rig.plugins.problems()).toEqual([]);
  });

  test("what acts on the hub is refused all the same", async () => {
    await using run = await ranOn(`#!/bin/sh\n${attempt(`prlimit --pid ${process.pid} --nofile=3:3`)}`, {}, nothing);
    expect(run.text("code")).not.toBe("0\n");
    await using killing = await ranOn(`#!/bin/sh\n${attempt(`kill -0 ${process.pid}`)}`, {}, nothing);
    expect(killing.text("code")).not.toBe("0\n");
  });

  test("strict does not start it, and says what to do", async () => {
    await using rig = createRig(
      [{ id: "p", binary: "plugins/p/run", confine: "strict" }],
      { "plugins/p/run": script },
      nothing,
    );
    const record = await rig.plugins.start("p");
    expect(record).toMatchObject({ status: "offline", pid: null, confined: false });
    expect(record.last_exit?.reason).toBe(
      'cannot be kept to its folder, as confine = "strict" asks: a filter of system calls alone, so it can read what the hub can: this kernel was built without Landlock, and this machine lets the hub make no namespaces; "auto" runs it so',
    );
    expect(rig.plugins.problems()).toEqual([expect.stringMatching(/^plugin "p" cannot be kept to its folder/)]);
    expect(rig.issued).toEqual([]);
  });
});

// The limit counts for what is below it, so the machine's own stays as it is.
test.if(probeNamespaces().command !== undefined)("a limit of namespaces is named, with the key that lifts it", () => {
  const source = resolve(import.meta.dir, "../../../../src/reach/plugins/confine/namespaces.ts");
  const script = `import { probeNamespaces } from ${JSON.stringify(source)}; console.log(probeNamespaces().reason)`;
  const limited = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"';
  const words = [
    "unshare",
    "--user",
    "--map-root-user",
    "/bin/sh",
    "-c",
    limited,
    "sh",
    process.execPath,
    "-e",
    script,
  ];
  const { stdout, stderr } = Bun.spawnSync(words);
  expect(`${stdout}${stderr}`.trim()).toBe(
    "this machine lets the hub make no namespaces: unshare: unshare failed: No space left on device (the limit `sysctl user.max_user_namespaces`)",
  );
});

describe("where the kernel does not filter system calls", () => {
  const script = `#!/bin/sh\n${attempt("cat ../../config/hub.toml")}`;
  const without = { filtersCalls: () => false };

  test.if(probeLandlock().abi > 0)("Landlock holds it all the same", async () => {
    await using run = await ranOn(script, {}, without);
    expect(run.text("code")).not.toBe("0\n");
    expect(run.rig.plugins.get("p")).toMatchObject({ confined: true, held_by: "landlock" });
  });

  test("without Landlock it runs, held by nothing, and the record says why", async () => {
    await using run = await ranOn(script, {}, { landlock, ...without });
    expect(run.text("out")).toBe(SECRET);
    expect(run.rig.plugins.get("p")).toMatchObject({
      confined: false,
      held_by: "nothing",
      confined_detail: "this kernel was built without Landlock, and system calls cannot be filtered here either",
    });
  });
});

test("off runs it unconfined on any kernel", async () => {
  await using run = await ranOn(`#!/bin/sh\n${attempt("cat ../../config/hub.toml")}`, { confine: "off" });
  expect(run.text("out")).toBe(SECRET);
  expect(run.rig.plugins.get("p")).toMatchObject({
    confined: false,
    held_by: "nothing",
    confined_detail: 'confine = "off"',
  });
});
