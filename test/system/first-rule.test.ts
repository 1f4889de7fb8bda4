// "A first rule in five minutes" of the README, as it is written there.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const [SECTION = ""] = /^## A first rule .*?(?=^## )/ms.exec(README) ?? [];
const BLOCKS = [...SECTION.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const of = (wanted: string): string[] => BLOCKS.flatMap(({ language, text }) => (language === wanted ? [text] : []));

const place = createHubPlace({
  toml: '[[plugins]]\nid = "virtual"\nbinary = "plugins/virtual/bin/virtual.js"\nenabled = false\n',
});
const checkout = dirname(place.home);
const DOOR = "/devices/virtual_front_door/state";
let hub: HubProcess;
beforeAll(async () => {
  hub = await place.start();
  mkdirSync(join(checkout, "bin"));
  symlinkSync(place.binary, join(checkout, "bin", "hub"));
});
afterAll(() => place[Symbol.asyncDispose]());

async function shell(command = ""): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", API: hub.api, TOKEN: await hub.adminToken() };
  const child = Bun.spawn(["bash", "-c", command], { cwd: checkout, env, stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  expect({ command, code: await child.exited }).toEqual({ command, code: 0 });
  return text;
}

interface RuleBody {
  id: string;
  state: string;
  rule: { conditions: unknown[] };
}

const known = async (fits: (rule: RuleBody) => boolean): Promise<boolean> =>
  (await hub.get<RuleBody[]>("/rules")).some((one) => one.id === "door-light" && one.state === "enabled" && fits(one));

// The shell's tools are not everywhere where the other tests run.
test.skipIf(!Bun.which("curl") || !Bun.which("jq"))("goes as the README says", async () => {
  const [start, check, open, why] = of("sh");
  const [rule = "", condition = ""] = of("ron");
  const [light = "", fired = "", failed = ""] = of("");
  await shell(start);
  await until(
    "the house is there",
    async () => (await hub.request("GET", "/devices/virtual_front_door")).status === 200,
  );

  place.put("rules/door-light.ron", rule);
  await until("the rule is in effect", () => known(() => true));
  expect(await shell(check)).toContain("is valid, and so is 1 rule file");
  const [was = "{}", said = "{}"] = [await shell(open), light];
  expect(JSON.parse(was)).toEqual(JSON.parse(said));
  expect(await shell(why)).toBe(fired);

  place.put("rules/door-light.ron", rule.replace("    actions:", `${condition}    actions:`));
  await until("the condition is in effect", async () => {
    const { rule } = await hub.get<RuleBody>("/rules/door-light");
    return rule.conditions.length === 1;
  });
  for (const isOpen of [false, true]) await hub.request("PATCH", DOOR, { body: { open: isOpen } });
  await until("it was evaluated once more", async () => (await shell(why)) === failed);
});
