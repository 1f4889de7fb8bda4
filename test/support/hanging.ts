// A test that never ends and has a child with a child of its own; end-children.test.ts ends its run by a signal.
import { test } from "bun:test";

test("hangs", async () => {
  const child = Bun.spawn(["sh", "-c", 'sleep 300 & echo $$ $! > "$HANGING_PID_FILE"; wait']);
  await child.exited;
}, 300_000);
