// A process of its own that applies answers one after the other, so that a test can kill it: `copier.ts HOME FOLDER`, with the answers
// in the folder as 0.sync, 1.history and so on.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { open } from "./copying.ts";

const [, , root = "", folder = ""] = process.argv;
const copy = open(homeAt(root));
const names = readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
process.stdout.write("ready\n");
for (const name of names) {
  const answer = readFileSync(join(folder, name));
  if (name.endsWith(".sync")) copy.apply(answer);
  else copy.applyHistory(answer);
}
