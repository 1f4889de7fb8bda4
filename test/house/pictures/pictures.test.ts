// What is kept of pictures on disk: so many, so many bytes, one a second, over a restart, and when the disk does not take them.
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { PicturesSection } from "../../../src/house/pictures/config.ts";
import { startDevicePictures } from "../../../src/house/pictures/pictures.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { PICTURES } from "../../reach/notify/pictures/rig.ts";
import { sectionOf } from "../../support/section.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { until } from "../../support/wait.ts";

const { jpegOf } = PICTURES;

const NOT_REPORTED = { came() {}, problem() {} };
const big = (text: string): Buffer => Buffer.concat([jpegOf(text), Buffer.alloc(400_000)]);

function open(folder: TemporaryFolder, section: Partial<PicturesSection> = {}, known: string[] = ["bell", "yard"]) {
  const clock = createVirtualClock();
  const pictures = startDevicePictures({
    ...{ clock, log: silentLog, folder: folder.at("pictures"), section: sectionOf(PicturesSection, section) },
    ...{ budget: { allows: () => true }, fetch: () => Promise.reject(new Error("no")), devices: () => known },
  });
  const files = (): string[] => {
    try {
      return readdirSync(folder.at("pictures"), { recursive: true, encoding: "utf8" }).filter((one) =>
        one.includes("."),
      );
    } catch {
      return [];
    }
  };
  return {
    ...{ clock, pictures, files },
    show: async (bytes: Uint8Array, deviceId = "bell", of = "") => {
      pictures.take({ deviceId, of, shows: { bytes }, retained: false }, NOT_REPORTED);
      await clock.advance(1);
    },
    /** As many seconds as it takes until the newest of the device is on disk. */
    written: async (deviceId = "bell") => {
      const [newest] = await pictures.list(deviceId);
      await until("the picture is on disk", async () => {
        await clock.advance(1000);
        return files().some((name) => name.includes(newest?.tag ?? "none"));
      });
    },
    [Symbol.dispose]: () => pictures[Symbol.dispose](),
  };
}

test("the last ones are kept, and are there after a restart", async () => {
  using folder = createTemporaryFolder();
  {
    using house = open(folder, { keep: 2 });
    for (const text of ["one", "two", "three"]) {
      await house.show(jpegOf(text));
      await house.written();
    }
  }
  using house = open(folder, { keep: 2 });
  const list = await house.pictures.list("bell");
  const all = await Promise.all(list.map(({ at }) => house.pictures.find("bell", { at })));
  expect(all.map((one) => Buffer.from(one?.bytes ?? []))).toEqual([jpegOf("three"), jpegOf("two")]);
  expect(await house.pictures.find("bell", { at: 0 })).toBeUndefined();
});

test("what the broker kept of before is as old after a restart as it was, also where others followed it", async () => {
  using folder = createTemporaryFolder();
  let before: unknown;
  {
    using house = open(folder);
    for (const text of ["one", "two"]) {
      await house.show(jpegOf(text));
      await house.written();
    }
    before = (await house.pictures.list("bell")).map(({ at, tag }) => ({ at, tag }));
  }
  using house = open(folder);
  const reports: number[] = [];
  await house.clock.advance(3_600_000);
  for (const text of ["one", "two"])
    house.pictures.take(
      { deviceId: "bell", of: "", shows: { bytes: jpegOf(text) }, retained: true },
      { came: (at) => void reports.push(at), problem() {} },
    );
  // One that is new comes behind them.
  await house.show(jpegOf("three"));
  await until("the new one is there", async () => (await house.pictures.list("bell")).length > 2);
  const [newest, ...kept] = await house.pictures.list("bell");
  expect(newest?.at).toBe(house.clock.now() - 1);
  expect(kept.map(({ at, tag }) => ({ at, tag }))).toEqual(before as never);
  expect(reports).toEqual([]);
});

test("of many cameras at once one picture a second goes to the card, of each the newest", async () => {
  using folder = createTemporaryFolder();
  using house = open(folder);
  for (let count = 0; count < 100; count++)
    for (const id of ["bell", "yard"]) await house.show(jpegOf(`${id} ${count}`), id);
  const before = house.files().length;
  await house.written("bell");
  await house.written("yard");
  // A tenth of a second has 20 pictures, and the card gets few of them.
  expect(before).toBeLessThanOrEqual(1);
  expect(house.files().length).toBeLessThanOrEqual(4);
  expect(Buffer.from((await house.pictures.find("yard"))?.bytes ?? [])).toEqual(jpegOf("yard 99"));
});

test("when the room is full, the oldest of all cameras goes", async () => {
  using folder = createTemporaryFolder();
  using house = open(folder, { max_mb: 1 });
  for (const [index, id] of ["bell", "yard", "yard"].entries()) {
    await house.show(big(`${index}`), id);
    await house.written(id);
  }
  using again = open(folder, { max_mb: 1 });
  expect(await again.pictures.list("yard")).toHaveLength(2);
  expect(await again.pictures.list("bell")).toEqual([]);
});

test("what is no device any more has no pictures, and what is no picture of ours is not read", async () => {
  using folder = createTemporaryFolder();
  {
    using house = open(folder);
    await house.show(jpegOf("x"));
    await house.written();
    writeFileSync(folder.at("pictures", house.files()[0]?.split("/")[0] ?? "", "other.txt"), "x");
  }
  {
    using house = open(folder);
    expect(await house.pictures.list("bell")).toHaveLength(1);
  }
  using house = open(folder, {}, ["yard"]);
  expect(await house.pictures.list("bell")).toEqual([]);
  expect(house.files()).toEqual([]);
});

test("a disk that takes nothing keeps no picture from being seen", async () => {
  using folder = createTemporaryFolder();
  writeFileSync(folder.at("pictures"), "a file where the folder should be");
  using house = open(folder, {}, []);
  await house.show(jpegOf("x"));
  await until("it is seen", async () => (await house.pictures.find("bell")) !== undefined);
  await house.clock.advance(5000);
  expect(Buffer.from((await house.pictures.find("bell"))?.bytes ?? [])).toEqual(jpegOf("x"));
});
