import { afterAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { homeAt } from "../../src/home/paths.ts";
import { refusalsIn } from "../../src/plugins/confine/refusals.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const folder = createTemporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const home = homeAt(folder.at("home"));
const own = home.plugin("p").root;
mkdirSync(own, { recursive: true });

test.each([
  ["cat: ../../config/hub.toml: Permission denied", [`the kernel refused it ${home.hubToml}, which is the hub's`]],
  [`/bin/cat: ${home.stateDb}: Permission denied`, [`the kernel refused it ${home.stateDb}, which is the hub's`]],
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
  const found = refusalsIn(["before", line, "after"], { folder: own, home });
  expect(found).toEqual(words.map((word) => expect.stringContaining(word)));
});

test("newest first, each once, and not more than a person reads", () => {
  const lines = [..."abcda"].map((name) => `cat: /srv/${name}: Permission denied`);
  expect(refusalsIn(lines, { folder: own, home }).map((text) => /refused (\S+):/.exec(text)?.[1])).toEqual([
    "/srv/a",
    "/srv/d",
    "/srv/c",
  ]);
});
