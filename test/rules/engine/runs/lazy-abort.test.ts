// The signal of a run that is made only when somebody asks for it: it reports the end of the run whenever that was.
import { expect, test } from "bun:test";
import { createLazyAbort } from "../../../../src/rules/engine/runs/lazy-abort.ts";

test("who asks before the end is notified of it, once", () => {
  const lazy = createLazyAbort();
  const notified: string[] = [];
  lazy.signal.addEventListener("abort", () => notified.push("over"));
  expect(lazy.signal.aborted).toBe(false);
  lazy.abort();
  lazy.abort();
  expect(notified).toEqual(["over"]);
});

test("who asks after the end sees at once that it is over", () => {
  const lazy = createLazyAbort();
  lazy.abort();
  expect(lazy.signal.aborted).toBe(true);
  expect(() => lazy.signal.throwIfAborted()).toThrow("aborted");
  expect(lazy.signal).toBe(lazy.signal);
});
