// Where pictures may come from, and where not; and how much of them is kept.
import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { parseImageSource } from "../../../../src/kit/text/image-source.ts";
import { isLocalAddress } from "../../../../src/reach/notify/http/local-address.ts";
import { readHouseFile } from "../../../../src/reach/notify/pictures/house-file.ts";
import { createLogins } from "../../../../src/reach/notify/pictures/logins.ts";
import { createPictureStore } from "../../../../src/reach/notify/pictures/picture-store.ts";
import { pictureOf } from "../../../../src/reach/notify/pictures/picture-type.ts";
import { fetchSnapshot } from "../../../../src/reach/notify/pictures/snapshot.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { PICTURES } from "./rig.ts";

describe("a rule may name", () => {
  test.each([
    ["device:porch_cam", { kind: "device", id: "porch_cam", attribute: undefined }],
    ["device:porch_cam/last/picture", { kind: "device", id: "porch_cam", attribute: "last/picture" }],
    ["mqtt:frigate/porch/person/snapshot", { kind: "mqtt", topic: "frigate/porch/person/snapshot" }],
    ["pictures/a/plan.png", { kind: "file", path: "pictures/a/plan.png" }],
  ])("%s", (text, source) => {
    expect(parseImageSource(text)).toEqual(source as never);
  });

  test.each([
    "",
    "porch",
    "device:",
    "device:../x",
    "device:a/",
    "mqtt:",
    "mqtt:frigate/+/snapshot",
    "mqtt:#",
    "http://camera/snapshot.jpg",
    "/etc/passwd",
    "config/hub.toml",
    "pictures",
    "pictures/",
    "pictures/../config/hub.toml",
    "pictures/./x.png",
    "pictures//x.png",
    "pictures/..\\x.png",
    "pictures/x\0.png",
    "Pictures/x.png",
  ])("not %j", (text) => {
    expect(parseImageSource(text)).toHaveProperty("problem");
  });
});

describe("a file of the house", () => {
  test("is read from its folder, also where that folder lies elsewhere", async () => {
    using folder = createTemporaryFolder();
    mkdirSync(folder.at("home"));
    mkdirSync(folder.at("disk", "inner"), { recursive: true });
    writeFileSync(folder.at("disk", "inner", "x.png"), PICTURES.png);
    symlinkSync(folder.at("disk"), folder.at("home", "pictures"));
    expect(await readHouseFile(folder.at("home"), "pictures/inner/x.png")).toEqual(PICTURES.png);
  });

  test("is never one that a link leads to outside of it", async () => {
    using folder = createTemporaryFolder();
    mkdirSync(folder.at("pictures"));
    mkdirSync(folder.at("config"));
    writeFileSync(folder.at("config", "hub.toml"), "secret");
    symlinkSync(folder.at("config", "hub.toml"), folder.at("pictures", "x.png"));
    symlinkSync(folder.at("config"), folder.at("pictures", "more"));
    for (const path of ["pictures/x.png", "pictures/more/hub.toml", "pictures/../config/hub.toml"])
      await expect(readHouseFile(folder.path, path)).rejects.toThrow("leads out of the folder pictures");
  });

  test.each(["config", "."])("is not read where its folder is a link to %s", async (target) => {
    using folder = createTemporaryFolder();
    mkdirSync(folder.at("config"));
    writeFileSync(folder.at("config", "x.png"), PICTURES.png);
    writeFileSync(folder.at("x.png"), PICTURES.png);
    symlinkSync(folder.at(target), folder.at("pictures"));
    await expect(readHouseFile(folder.path, "pictures/x.png")).rejects.toThrow("leads out of the folder pictures");
  });

  test("is neither a folder nor a pipe, and not larger than 5 MB", async () => {
    using folder = createTemporaryFolder();
    mkdirSync(folder.at("pictures", "x.png"), { recursive: true });
    Bun.spawnSync(["mkfifo", folder.at("pictures", "pipe")]);
    writeFileSync(folder.at("pictures", "large"), "");
    truncateSync(folder.at("pictures", "large"), 5 * 1_048_576 + 1);
    await expect(readHouseFile(folder.path, "pictures/x.png")).rejects.toThrow("is not a file");
    await expect(readHouseFile(folder.path, "pictures/pipe")).rejects.toThrow("is not a file");
    await expect(readHouseFile(folder.path, "pictures/large")).rejects.toThrow("larger than 5 MB");
  });
});

describe("services of this machine", () => {
  test.each(["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "169.254.169.254"])(
    "%s is one",
    (address) => expect(isLocalAddress(address)).toBe(true),
  );
  test.each(["fe80::1", "64:ff9b::7f00:1", "224.0.0.1", "255.255.255.255", "ff02::1"])("%s counts as one", (address) =>
    expect(isLocalAddress(address)).toBe(true),
  );
  test.each(["192.168.99.77", "10.99.88.77", "203.0.113.5", "2001:db8::5", "fd12:3456::9", "::ffff:10.99.88.77"])(
    "%s is none",
    (address) => expect(isLocalAddress(address)).toBe(false),
  );

  test.each([
    "http://localhost:5000/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
  ])("%s is refused unless it is named", async (address) => {
    const url = new URL(address);
    await expect(snapshotOf(url, [])).rejects.toThrow("is a service of this machine itself");
    expect(await snapshotOf(url, [url.hostname])).toEqual(PICTURES.png);
    await expect(snapshotOf(url, [`${url.hostname}:9`])).rejects.toThrow("is a service of this machine itself");
  });
});

function snapshotOf(url: URL, hosts: string[]): Promise<Buffer> {
  const answer = async () => new Response(PICTURES.png);
  const deps = {
    fetch: answer as unknown as typeof fetch,
    hosts,
    logins: createLogins((length) => randomBytes(length)),
  };
  return fetchSnapshot(url, deps, AbortSignal.timeout(10_000));
}

describe("pictures that are kept", () => {
  const idOf = (number: number) => `0000-${number}`;
  const picture = pictureOf("x", Buffer.concat([PICTURES.jpg, Buffer.alloc(1000)]));
  if (!picture) throw new Error("the test's picture");

  test("are bounded: the oldest goes first", async () => {
    using folder = createTemporaryFolder();
    const store = createPictureStore(folder.at("kept"), { bytes: 3500, files: 10 });
    for (let number = 0; number < 5; number++) {
      await store.save(idOf(number), picture);
      utimesSync(folder.at("kept", `${idOf(number)}.jpg`), number, number);
    }
    expect(readdirSync(folder.at("kept")).sort()).toEqual([2, 3, 4].map((number) => `${idOf(number)}.jpg`));
    expect(await store.read(idOf(0))).toBeUndefined();
    expect(await store.read(idOf(4))).toEqual({ bytes: Buffer.from(picture.bytes), oldMs: 0 });
  });

  test("go with their messages, and so does what a crash left", async () => {
    using folder = createTemporaryFolder();
    const store = createPictureStore(folder.at("kept"));
    await store.save(idOf(1), picture);
    await store.save(idOf(2), picture);
    writeFileSync(folder.at("kept", "0000-3.part"), "half");
    expect(await store.sweep((id) => id === idOf(2))).toBe(1);
    expect(readdirSync(folder.at("kept"))).toEqual([`${idOf(2)}.jpg`]);
  });

  test("are never outside their folder", async () => {
    using folder = createTemporaryFolder();
    const store = createPictureStore(folder.at("kept"));
    await expect(store.save("../evil", picture)).rejects.toThrow();
    expect(await store.read("../evil")).toBeUndefined();
  });
});
