// What rules were read into is the same the next time, read again wherever it may not be, and never in the way.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { openReadCache } from "../../../src/rules/store/read-cache.ts";
import { createRuleReader, type RuleReader } from "../../../src/rules/store/read-rule.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const COUNT = 200;
const ruleText = (index: number, more = ""): string => `(
    id: "rule-${index}",
    name: "Rule ${index}",
    trigger: DeviceStateChanged(device_id: "lamp_${index}", attribute: "on", to: true),
    conditions: [Expression(expression: "current_hour() >= 22")],
    actions: [Delay(duration_secs: "5m"), SetDeviceState(device_id: "lamp", state: (on: false)), ${more}],
)`;

function rig() {
  const home = createTemporaryFolder();
  const reader = createRuleReader(createRuleExpressions());
  const path = home.at("rules.cache");
  let reads = 0;
  const counted: RuleReader = {
    ...reader,
    read(...args) {
      reads++;
      return reader.read(...args);
    },
  };
  return {
    home,
    path,
    reader,
    /** Reads all texts as a start does; answers what they were read into, and how many had to be read. */
    start(texts: readonly string[], readBy = "this build") {
      reads = 0;
      const cache = openReadCache(counted, { path, readBy, log: silentLog });
      const found = texts.map((text, index) => cache.reader.read(text, { file: `${index}.ron` }));
      cache.close();
      return { found, reads, cache };
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

const texts = Array.from({ length: COUNT }, (_, index) => ruleText(index));

test("the second start reads nothing anew, and finds the same", () => {
  using hub = rig();
  expect(hub.start(texts).reads).toBe(COUNT);
  expect(statSync(hub.path).mode & 0o777).toBe(0o600);
  const { found, reads } = hub.start(texts);
  expect(reads).toBe(0);
  expect(found).toEqual(texts.map((text, index) => hub.reader.read(text, { file: `${index}.ron` })));
});

test("a changed text, and all of another build, are read anew", () => {
  using hub = rig();
  hub.start(texts);
  const changed = texts.with(7, ruleText(7, 'Comment(text: "x")'));
  const { found, reads } = hub.start(changed);
  expect(reads).toBe(1);
  expect(found[7]?.good?.rule.actions).toHaveLength(3);
  expect(hub.start(texts, "another build").reads).toBe(COUNT);
});

test("few changes are not worth a file, many are, and so are few rules never", () => {
  using hub = rig();
  hub.start(texts);
  const before = readFileSync(hub.path, "utf8");
  hub.start(texts.with(7, ruleText(7, 'Comment(text: "x")')));
  expect(readFileSync(hub.path, "utf8")).toBe(before);
  const many = texts.map((text, index) => (index < 20 ? ruleText(index, 'Comment(text: "x")') : text));
  hub.start(many);
  expect(hub.start(many).reads).toBe(0);
  rmSync(hub.path);
  hub.start(texts.slice(1));
  expect(existsSync(hub.path)).toBe(false);
});

test("what has problems, warnings or no id is read each time", () => {
  using hub = rig();
  const odd = ["(", ruleText(1).replace('id: "rule-1",', ""), ruleText(2).replace("Delay", "Dely")];
  hub.start([...odd, ...texts]);
  expect(hub.start([...odd, ...texts]).reads).toBe(odd.length);
});

test("a file that is damaged or cannot be written is as none", () => {
  using hub = rig();
  hub.start(texts);
  const whole = readFileSync(hub.path, "utf8");
  writeFileSync(hub.path, whole.slice(0, whole.length / 2));
  const { found, reads } = hub.start(texts);
  expect(reads).toBe(COUNT);
  expect(found.every(({ good }) => good !== undefined)).toBe(true);
  // One letter, which leaves everything as well-formed as before.
  writeFileSync(hub.path, whole.replace("lamp_7", "lamp_8"));
  expect(hub.start(texts).reads).toBe(COUNT);
  writeFileSync(hub.path, whole.replaceAll('"rule"', '"role"'));
  expect(hub.start(texts).reads).toBe(COUNT);
  rmSync(hub.path);
  mkdirSync(hub.path);
  expect(hub.start(texts).found.every(({ good }) => good !== undefined)).toBe(true);
});
