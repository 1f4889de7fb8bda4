// Rules while the hub is starting: listed at once, and answered for honestly.
import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { Rules } from "../../../src/rules/rules.ts";
import { createEventFeed } from "../../../src/server/events/feed.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createHouse } from "../support/host.ts";
import { toml } from "./rig.ts";

test("every file is listed from the beginning, and nothing is denied that may be in one", async () => {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(createTemporaryFolder());
  const folder = home.at("rules");
  mkdirSync(home.at("rules", "a folder.toml"), { recursive: true });
  for (const name of ["a", "b", "c"]) writeFileSync(home.at("rules", `${name}.toml`), toml(name, { id: `id-${name}` }));
  writeFileSync(home.at("rules", "broken.ron"), "(");
  const house = createHouse();
  const { clock } = house;
  const feed = createEventFeed({ clock, log: silentLog, buffer: 100, mark: { load: () => 0, save() {} } });
  const db = stack.use(openTestState(home.at("state.redb"), clock.now));
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const rules = stack.use(new Rules({ folder, feed, clock, log: silentLog, random, host: house, db }));

  expect(rules.count()).toBe(4);
  expect(rules.list().map(({ id, state, runningVersion }) => [id, state, runningVersion])).toEqual(
    ["a.toml", "b.toml", "broken.ron", "c.toml"].map((file) => [file, "loading", "none"]),
  );
  expect(rules.list({ state: "loading" })).toHaveLength(4);
  expect(rules.problems()).toEqual([]);
  const starting = expect.objectContaining({ code: "unavailable" });
  for (const act of [
    () => rules.get("id-a"),
    () => rules.text("id-a"),
    () => rules.traces("id-a"),
    () => rules.pause("a.toml"),
    () => rules.patch("a.toml", { enabled: false }),
    () => rules.call({ path: "x", method: "POST", query: {}, body: null, secret: "y" }),
  ])
    expect(act).toThrow(starting);
  await expect(rules.run("a.toml")).rejects.toThrow(starting);

  // One that goes and one that comes before they are read.
  rmSync(home.at("rules", "c.toml"));
  writeFileSync(home.at("rules", "d.toml"), toml("d", { id: "id-d" }));
  await rules.start();
  expect(rules.list().map(({ id, state }) => [id, state])).toEqual([
    ["id-a", "enabled"],
    ["id-b", "enabled"],
    ["broken.ron", "broken"],
    ["id-d", "enabled"],
  ]);
  expect(() => rules.get("id-c")).toThrow("there is no rule");
});
