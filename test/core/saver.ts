// An editor that saves a file twice in quick succession, again and again, and looks afterwards whether its last save is
// still there: see atomic-file.test.ts. `rename`: a new file takes the place of the old; `in place`: the old one is emptied
// and written; `remove`: it is deleted and made anew.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

const [path = "", how = "rename", rounds = "0"] = process.argv.slice(2);

function save(text: string): void {
  if (how === "in place") {
    writeFileSync(path, text);
    return;
  }
  writeFileSync(`${path}~`, text);
  if (how === "remove") rmSync(path, { force: true });
  renameSync(`${path}~`, path);
}

function read(): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

let lost = 0;
let marked = 0;
for (let round = 1; round <= Number(rounds); round++) {
  save(`round ${round}, first save\n`);
  // From nothing to some milliseconds: before, within and after what the other does with the first.
  const until = performance.now() + (round % 50) / 10;
  while (performance.now() < until);
  const last = `round ${round}, last save\n`;
  save(last);
  await Bun.sleep(8);
  const found = read();
  if (!found.startsWith(last)) lost++;
  if (found.includes("marked")) marked++;
}
process.stdout.write(JSON.stringify({ lost, marked }));
