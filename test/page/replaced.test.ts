// A hub that is upgraded or restored under an open page.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type PackedFile, packed, readPackIndex } from "../../src/kit/files/pack.ts";
import { downloadBackup } from "../support/archives.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { LAMP, type PageHouse, startPageHouse } from "./support/page-house.ts";
import { connectionShown, picture, press, tileText } from "./support/seen.ts";

const ROOT = join(import.meta.dir, "..", "..");
const LAMP_PATH = "/devices/0x00158d0000000001";
const folder = createTemporaryFolder();
let house: PageHouse;
let visitors: Visitors;
beforeAll(async () => {
  house = await startPageHouse({ zigbee: 6, virtual: false });
  visitors = await openBrowser();
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const isLive = ({ page }: Visitor) => until("it is live", async () => (await connectionShown(page)) === "live");
const mark = ({ page }: Visitor) => page.evaluate(() => document.body.setAttribute("data-mark", "1"));
/** Loading anew may be under way. */
const isMarked = ({ page }: Visitor) =>
  page.evaluate(() => document.body.hasAttribute("data-mark")).catch(() => undefined);
/** Whether the page is that of the next hub. */
const isNext = ({ page }: Visitor) =>
  page.evaluate(() => document.querySelector("script[src*='main-next']") !== null).catch(() => false);

test("a restored hub is followed: what is shown is the house of the archive", async () => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "admin" });
  await mark(visitor);
  const archive = folder.at("house.zip");
  await downloadBackup(house.hub, archive);
  await house.hub.request("PATCH", LAMP_PATH, { body: { name: "Renamed since" } });
  await until("the new name is shown", () => tileText(visitor.page, "Renamed since"));
  const authorization = `Bearer ${await house.hub.adminToken()}`;
  const answer = await fetch(`${house.hub.api}/system/restore`, {
    method: "POST",
    headers: { authorization, ...(await house.hub.confirmed()) },
    body: Bun.file(archive),
  });
  expect(answer.status).toBe(202);
  await house.hub.said("the hub is up again");
  await house.connectNetwork();
  await until("the old name is shown", () => tileText(visitor.page, LAMP));
  await isLive(visitor);
  expect(await isMarked(visitor)).toBe(true);
});

/** The page of this tree, with other names for its files, as another version has. */
function otherPage(): string {
  const file = readFileSync(join(ROOT, "dist", "web", "page.pack"));
  const { entries, start } = readPackIndex(file);
  const main = entries.find(({ path }) => /^\/main-\w+\.js$/.test(path))?.path ?? "";
  const next = "/main-next0001.js";
  const files = entries.flatMap(({ encodings, ...entry }): PackedFile | [] => {
    // The help, which is none of the page's files.
    if (!encodings.identity) return [];
    const [from, to] = encodings.identity;
    const bytes = file.subarray(start + from, start + to);
    if (entry.path !== "/index.html" && entry.path !== main)
      return { ...entry, encodings: { identity: bytes, ...compressed(bytes) } };
    const changed = Buffer.from(bytes.toString().replaceAll(main, next));
    const path = entry.path === main ? next : entry.path;
    return { ...entry, path, etag: '"next"', encodings: { identity: changed, ...compressed(changed) } };
  });
  writeFileSync(folder.at("page.pack"), packed(files));
  return folder.at("page.pack");
}
const compressed = (bytes: Buffer) => ({
  br: new Uint8Array(brotliCompressSync(bytes)),
  gzip: new Uint8Array(gzipSync(bytes)),
});

/** Another hub stands where this one stood, as after `hub upgrade`. */
async function upgrade(binary: string): Promise<void> {
  await house.kill();
  rmSync(house.place.binary);
  copyFileSync(binary, house.place.binary);
  await house.start();
}

test("an upgraded hub has another page: an old one loads it at a quiet moment, and offers it where something is typed", async () => {
  const before = folder.at("hub-before");
  copyFileSync(house.place.binary, before);
  const next = folder.at("hub-next");
  const build = Bun.spawn([process.execPath, join(ROOT, "test", "interop", "other-hub.ts"), next, "99.1.0"], {
    env: { ...Bun.env, PAGE_PACK: otherPage() },
  });
  expect(await build.exited).toBe(0);
  await using quiet = await visitors.visit(house, { isNew: true, role: "user" });
  await using typing = await visitors.visit(house, { isNew: true, role: "user" });
  await mark(quiet);
  await typing.page.evaluate(() => {
    const field = document.createElement("textarea");
    field.id = "draft";
    document.querySelector("main h1")?.after(field);
  });
  await typing.page.type("#draft", "half a rule");
  const touchedAt = performance.now();
  await upgrade(next);
  await until("the quiet page is the new one", () => isNext(quiet));
  await isLive(quiet);
  expect(await isMarked(quiet)).toBe(false);
  await until(
    "it offers to load the new one, and nobody has touched it for longer than what counts as quiet",
    async () => {
      const isOffered = await typing.page.evaluate(() => document.body.textContent?.includes("Load the page anew"));
      return isOffered && performance.now() - touchedAt > 11_500;
    },
  );
  expect(await typing.page.$eval("#draft", (field) => (field as HTMLTextAreaElement).value)).toBe("half a rule");
  await picture(typing.page, "upgraded");
  await press(typing.page, "Load the page anew");
  await until("it is the new one", () => isNext(typing));

  // And back: the service worker must not keep the page of the version that was.
  await upgrade(before);
  await until(
    "the old page is back",
    async () => (await isNext(quiet)) === false && (await connectionShown(quiet.page)) === "live",
  );
});
