// Which files a standby gets of a home, and which it does not.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileHash } from "../../../../../src/copies/standby/hashes.ts";
import {
  type FileCopies,
  type FilesAnswer,
  openFileCopies,
} from "../../../../../src/copies/standby/source/files/file-copies.ts";
import { HubError } from "../../../../../src/kit/schema/errors.ts";
import { homeAt } from "../../../../../src/server/home/paths.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../../support/virtual-clock.ts";

const MIB = 1_048_576;
let folder: TemporaryFolder;
let clock: VirtualClock;
let warnings: string[];
let copies: FileCopies;

beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock(Date.now() + 3_600_000);
  warnings = [];
  put("config/hub.toml", "");
  const warn = (_: string, fields = {}): void => void warnings.push(Object.values(fields).join(": "));
  copies = openFileCopies(homeAt(folder.at("home")), { clock, log: { warn } });
});
afterEach(() => folder[Symbol.dispose]());

function put(path: string, content: string | Uint8Array): void {
  const file = folder.at("home", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const pathsOf = ({ records }: FilesAnswer): string[] =>
  records.map(({ head }) => (head.kind === "gone" ? `-${head.path}` : head.path));

/** All that comes until there is no more; the standby has `files`. */
async function all(files?: string): Promise<{ paths: string[]; id: string | undefined; answers: number }> {
  await clock.advance(10_000);
  const paths: string[] = [];
  let answer = copies.read(files === undefined ? {} : { files });
  for (let answers = 1; ; answers++) {
    paths.push(...pathsOf(answer));
    if (!answer.more) return { paths, id: answer.id, answers };
    answer = copies.read({ files: answer.id ?? "" });
  }
}

test("settings, rules, plugins, the files that hub.toml names, and what the hub keeps: nothing else", async () => {
  put(
    "config/hub.toml",
    '[server]\ntls_cert = "certs/own.pem"\ntls_key = "/etc/hostname"\n[backup]\ndirectory = "logs/x"\n',
  );
  const copied = ["certs/own.pem", "rules/a.ron", "rules/deep/b.toml", "config/modes.toml", "plugins/x/bin/x.js"];
  copied.push(
    "plugins/x/node_modules/y/logs/z.js",
    "data/calendars/abc.ics",
    "data/pictures/1.jpg",
    "data/assets.json",
  );
  const others = [
    "certs/other.pem",
    "bin/hub",
    "logs/x",
    "plugins/x/logs/x.log",
    "plugins/x/tmp/y",
    "data/standby.json",
  ];
  others.push("data/starts.json", "data/state.redb", "data/rules.cache", "data/hub.lock", "data/last-upgrade.json");
  others.push("data/before-restore-1/state.redb", "config/hub.toml.tmp", "backups/a.zip", "data/state.redb.damaged-1");
  for (const path of [...copied, ...others]) put(path, path);
  expect((await all()).paths.sort()).toEqual([...copied, "config/hub.toml"].sort());
});

test("links within a folder are followed, and those out of it are named once", async () => {
  put("rules/a.ron", "a");
  symlinkSync("a.ron", folder.at("home", "rules", "b.ron"));
  symlinkSync("/etc/hostname", folder.at("home", "rules", "c.ron"));
  mkdirSync(folder.at("home", "plugins"));
  symlinkSync("/etc", folder.at("home", "plugins", "etc"));
  symlinkSync("..", folder.at("home", "rules", "circle"));
  const { paths, id } = await all();
  expect(paths.sort()).toEqual(["config/hub.toml", "rules/a.ron", "rules/b.ron"]);
  const reported = warnings.length;
  expect(warnings.join()).toContain("rules/c.ron");
  await all(id);
  expect(warnings).toHaveLength(reported);
});

test("a change comes once: content, mode, a file under another name, a folder instead of a file", async () => {
  put("rules/a.ron", "a");
  put("rules/b.ron", "b");
  const first = await all();
  expect((await all(first.id)).paths).toEqual([]);
  put("rules/a.ron", "b");
  renameSync(folder.at("home", "rules", "b.ron"), folder.at("home", "rules", "c.ron"));
  const second = await all(first.id);
  expect(second.paths.sort()).toEqual(["-rules/b.ron", "rules/a.ron", "rules/c.ron"]);
  rmSync(folder.at("home", "rules", "c.ron"));
  put("rules/c.ron/d.ron", "d");
  const third = await all(second.id);
  expect(third.paths).toEqual(["-rules/c.ron", "rules/c.ron/d.ron"]);
  // As an answer that was lost: it still has what it had before.
  expect((await all(second.id)).paths).toEqual(third.paths);
});

test("a file of the same size and time is another one, where it was written just now", async () => {
  const real = createVirtualClock(Date.now());
  const now = openFileCopies(homeAt(folder.at("home")), { clock: real, log: { warn() {} } });
  const at = new Date(Date.now() - 60_000);
  const place = (content: string): void => {
    put("rules/a.ron", content);
    utimesSync(folder.at("home", "rules", "a.ron"), at, at);
  };
  place("a");
  const first = now.read({});
  place("b");
  await real.advance(9000);
  real.step(-9000);
  expect(pathsOf(now.read({ files: first.id ?? "" }))).toEqual(["rules/a.ron"]);
});

test("many megabytes come in several answers", async () => {
  for (let count = 0; count < 5; count++) put(`plugins/x/${count}`, new Uint8Array(4 * MIB).fill(count));
  const { paths, answers } = await all();
  expect(paths).toHaveLength(6);
  expect(answers).toBeGreaterThan(2);
});

test("who is not known by what it says it has is asked for a list, and what it has is not sent again", () => {
  put("rules/a.ron", "a");
  expect(copies.read({ files: "unknown" })).toEqual({ records: [], id: undefined, more: false });
  const whole = copies.read({});
  const hashes = whole.records.flatMap(({ head, content }) =>
    head.kind === "file" && content ? [[head.path, fileHash(content, head.mode)] as const] : [],
  );
  const list = Object.fromEntries(hashes);
  expect(copies.read({ files: "unknown", list })).toEqual({ records: [], id: whole.id, more: false });
  const odd = { ...list, "rules/a.ron": "0", "../x": "1" };
  expect(pathsOf(copies.read({ list: odd }))).toEqual(["-../x", "rules/a.ron"]);
});

test("where hub.toml is gone, nothing is answered: an empty home would erase the copy", async () => {
  rmSync(folder.at("home", "config"), { recursive: true });
  await expect(all()).rejects.toThrow(HubError);
});
