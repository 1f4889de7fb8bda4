// An editor that saves a file twice in quick succession, again and again, and checks afterwards whether its last save is
// still there: see atomic-file.test.ts. `rename`: a new file replaces the old one; `in place`: the old file is truncated and
// written; `remove`: it is deleted and created again.
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";

const [path = "", how = "rename", rounds = "0"] = process.argv.slice(2);

function save(text: string): void {
  if (how === "in place") {
    // Truncated when it is opened, as editors do.
    const file = openSync(path, "w");
    writeSync(file, text);
    closeSync(file);
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
  // From nothing to some milliseconds: before, during and after what the hub does with the first save.
  const until = performance.now() + (round % 50) / 10;
  while (performance.now() < until);
  const last = `round ${round}, last save\n`;
  save(last);
  let found = read();
  // The other may have been put to sleep by a busy machine, before its write or in the middle of putting this one back.
  const isDone = (): boolean => found.startsWith(last) && found.includes("marked");
  for (const end = performance.now() + 20_000; !isDone() && performance.now() < end; found = read()) await Bun.sleep(1);
  if (!found.startsWith(last)) lost++;
  if (found.includes("marked")) marked++;
}
process.stdout.write(JSON.stringify({ lost, marked }));
