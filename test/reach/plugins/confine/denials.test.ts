import { afterAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { denialsIn } from "../../../../src/reach/plugins/confine/denials.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

const folder = createTemporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const home = homeAt(folder.at("home"));
const own = home.plugin("p").root;
mkdirSync(own, { recursive: true });

test.each([
  [
    "cat: ../../config/hub.toml: Permission denied",
    [`the kernel denied access to ${home.hubToml}, which belongs to the hub`],
  ],
  [
    `/bin/cat: ${home.stateDb}: Permission denied`,
    [`the kernel denied access to ${home.stateDb}, which belongs to the hub`],
  ],
  ["PermissionError: [Errno 13] Permission denied: '/srv/my music/x'", ['read = ["/srv/my music/x"]']],
  ["Error: EACCES: permission denied, open '/srv/music'", ['read = ["/srv/music"]']],
  ["Error: EPERM: operation not permitted, rename '/srv/a' -> '/srv/b'", ['read = ["/srv/a"]', 'read = ["/srv/b"]']],
  ["/bin/sh: 3: cannot create /srv/out: Permission denied", ['read = ["/srv/out"]']],
  [`Cannot read directory "${home.root}": EACCES`, [`${home.root}: keep what it needs in its own folder`]],
  ["could not open /dev/ttyUSB0: Permission denied", []],
  [`cat: ${own}/x: Permission denied`, []],
  ["permission denied by the bridge: press its button", []],
  ["cat: /srv/x: No such file or directory", []],
])("%s", (line, words) => {
  const found = denialsIn(["before", line, "after"], { folder: own, home, hides: false });
  expect(found).toEqual(words.map((word) => expect.stringContaining(word)));
});

test("newest first, each path once, and at most three", () => {
  const lines = [..."abcda"].map((name) => `cat: /srv/${name}: Permission denied`);
  expect(
    denialsIn(lines, { folder: own, home, hides: false }).map((text) => /access to (\S+):/.exec(text)?.[1]),
  ).toEqual(["/srv/a", "/srv/d", "/srv/c"]);
});
