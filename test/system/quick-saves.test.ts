// An editor that saves rules twice in quick succession while the compiled hub writes ids into them: no last save is lost.
import { expect, test } from "bun:test";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createHubPlace } from "../support/hub-place.ts";
import { until } from "../support/wait.ts";

const FILES = 40;
const ROUNDS = 5;

const text = (name: string): string =>
  `(name: "${name}", trigger: CustomEvent(event_type: "x"), actions: [LogMessage(message: "heard")])\n`;

test("two quick saves around the hub's write, 200 times", async () => {
  await using place = createHubPlace();
  place.put("rules/seed.ron", text("seed"));
  await using hub = await place.start();
  const paths = Array.from({ length: FILES }, (_, index) => place.at("rules", `r${index}.ron`));

  async function saveTwice(path: string, index: number, round: number): Promise<string> {
    const save = (content: string): void => {
      if (index % 2 === 0) writeFileSync(path, content);
      else {
        writeFileSync(`${path}~`, content);
        renameSync(`${path}~`, path);
      }
    };
    save(text(`round ${round}, first`));
    if (index % 4 < 2) {
      // At the moment in which the hub has written the id, or a little after.
      await until("the hub writes", () => readFileSync(path, "utf8").includes("id:"), { everyMs: 1 });
    } else await Bun.sleep((index * 997 + round * 131) % 1000);
    save(text(`round ${round}, last`));
    return `round ${round}, last`;
  }

  let lost = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const wanted = await Promise.all(paths.map((path, index) => saveTwice(path, index, round)));
    const isWhole = (path: string, index: number): boolean => {
      const found = readFileSync(path, "utf8");
      return found.includes("id:") || !found.includes(wanted[index] ?? "");
    };
    await until("every file has an id or is not what was saved", () => paths.every(isWhole));
    lost += paths.filter((path, index) => !readFileSync(path, "utf8").includes(wanted[index] ?? "")).length;
    const names = async () => (await hub.get<{ name: string; file: string }[]>("/rules")).map(({ name }) => name);
    await until("all run", async () => (await names()).filter((name) => name === wanted[0]).length === FILES);
  }
  expect(lost).toBe(0);
});
