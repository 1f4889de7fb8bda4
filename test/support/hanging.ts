// Two runs for end-children.test.ts: one that never ends, and one that leaves a stopped child behind. Both have a child with a
// child of its own, whose process ids they write into a file.
import { test } from "bun:test";

const FAMILY = 'sleep 300 & echo $$ $! > "$HANGING_PID_FILE"; wait';

test("hangs", async () => {
  const child = Bun.spawn(["sh", "-c", FAMILY]);
  await child.exited;
}, 300_000);

test("leaves a stopped child", async () => {
  const child = Bun.spawn(["sh", "-c", FAMILY]);
  while (!(await Bun.file(process.env.HANGING_PID_FILE ?? "").exists())) await Bun.sleep(5);
  child.kill("SIGSTOP");
  await child.exited;
}, 2000);
