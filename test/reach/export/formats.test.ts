import { expect, test } from "bun:test";
import { HistoryExport } from "../../../src/reach/export/config.ts";
import { writeUrl } from "../../../src/reach/export/http-target.ts";
import { linesOf } from "../../../src/reach/export/line-protocol.ts";
import { createPointReader, type Point } from "../../../src/reach/export/points.ts";
import { sectionOf } from "../../support/section.ts";

const POINT: Point = {
  ...{ device: "lamp", attribute: "watts", area: "kitchen", plugin: "zigbee" },
  ...{ at: 1000, n: 0, kind: "number", value: 21 },
};
const lines = (points: Partial<Point>[], booleansAsNumbers = false): string[] =>
  linesOf(
    points.map((point) => ({ ...POINT, ...point })),
    { booleansAsNumbers },
  );
const entry = (more: object = {}) =>
  sectionOf(HistoryExport, { name: "x", kind: "line_protocol", url: "http://h:8086", ...more });

test("names are escaped, and nothing in a text begins another line", () => {
  expect(lines([{ device: "a b,c=d", area: "Küche\\", attribute: "x y=,\\" }])).toEqual([
    "hub,area=Küche,device=a\\ b\\,c\\=d,plugin=zigbee x\\ y\\=\\,=21 1000",
  ]);
  expect(lines([{ kind: "text", value: 'say "hi\\"\nhub,device=door locked=f 1' }])).toEqual([
    'hub,area=kitchen,device=lamp,plugin=zigbee watts="say \\"hi\\\\\\" hub,device=door locked=f 1" 1000',
  ]);
});

test("a quotation mark in an attribute's name does not swallow the fields behind it", () => {
  const some: Partial<Point>[] = [
    { attribute: "a" },
    { attribute: 'the "inner" b', value: 5 },
    { attribute: "c", value: 2 },
  ];
  expect(lines(some)).toEqual(["hub,area=kitchen,device=lamp,plugin=zigbee a=21,the\\ 'inner'\\ b=5,c=2 1000"]);
});

test("numbers are floats, booleans t and f, or 1 and 0; what has no tag or value is left out", () => {
  const some: Partial<Point>[] = [
    { attribute: "a", value: -0.5 },
    { attribute: "b", value: 1e21 },
    { attribute: "c", kind: "boolean", value: 1 },
    { attribute: "d", kind: "boolean", value: 0 },
    { attribute: "e", kind: "json", value: '{"r":1}' },
    { attribute: "f", kind: "removed", value: null },
  ];
  const without = { area: undefined, plugin: undefined };
  expect(lines(some.map((point) => ({ ...point, ...without })))).toEqual([
    'hub,device=lamp a=-0.5,b=1e+21,c=t,d=f,e="{\\"r\\":1}" 1000',
  ]);
  expect(lines(some.slice(2, 4), true)).toEqual(["hub,area=kitchen,device=lamp,plugin=zigbee c=1,d=0 1000"]);
});

test("of two values within a millisecond the last one counts", () => {
  expect(lines([{ value: 1 }, { n: 1, value: 2 }, { at: 1001, value: 3 }])).toEqual([
    "hub,area=kitchen,device=lamp,plugin=zigbee watts=2 1000",
    "hub,area=kitchen,device=lamp,plugin=zigbee watts=3 1001",
  ]);
});

test.each([
  [{ url: "http://vm:8428" }, "http://vm:8428/write?precision=ms"],
  [{ url: "http://i:8086", database: "my db" }, "http://i:8086/write?db=my+db&precision=ms"],
  [{ url: "http://i:8086/", org: "home", bucket: "b" }, "http://i:8086/api/v2/write?org=home&bucket=b&precision=ms"],
  [{ url: "https://t.lan/in?x=1" }, "https://t.lan/in?x=1&precision=ms"],
])("where it writes: %p", (more, url) => {
  expect(writeUrl(entry(more)).href).toBe(url);
});

test("devices, areas and attributes are chosen by patterns; secrets never go", () => {
  const page = JSON.stringify([
    ["kitchen_lamp", "brightness", 1, 0, 5, null],
    ["kitchen_lamp", "linkquality", 1, 0, 5, null],
    ["kitchen_lamp", "pin_code", 1, 0, 1234, null],
    ["kitchen_tv", "volume", 1, 0, 5, null],
    ["cellar_lamp", "brightness", 1, 0, 5, null],
    ["gone", "brightness", 1, 0, 5, null],
  ]);
  const areas: Record<string, string> = { kitchen_lamp: "kitchen", kitchen_tv: "kitchen", cellar_lamp: "cellar" };
  const chosen = (more: object): string[] => {
    const facts = (id: string) => {
      const area = areas[id];
      return area === undefined ? undefined : { area, areaName: `The ${area}`, plugin: "z", isPassword: () => false };
    };
    return createPointReader(entry(more), facts)(page).map(({ device, attribute }) => `${device}/${attribute}`);
  };
  expect(chosen({})).toEqual([
    "kitchen_lamp/brightness",
    "kitchen_lamp/linkquality",
    "kitchen_tv/volume",
    "cellar_lamp/brightness",
    "gone/brightness",
  ]);
  expect(chosen({ areas: ["The kit*"], exclude_attributes: ["link*"] })).toEqual([
    "kitchen_lamp/brightness",
    "kitchen_tv/volume",
  ]);
  expect(chosen({ devices: ["*_lamp"], exclude_areas: ["cellar"], attributes: ["brightness"] })).toEqual([
    "kitchen_lamp/brightness",
  ]);
});
