import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { createRecorder } from "../../src/history/recorder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function recorder(mostTextBytes: number) {
  const posted: number[] = [];
  const told: string[] = [];
  const made = createRecorder({
    clock: createVirtualClock(),
    log: silentLog,
    isExcluded: () => false,
    post: (_, samples) => posted.push(samples),
    mostTextBytes,
    limits: { reached: ({ limit }) => void told.push(limit) },
  });
  const say = (current: Record<string, unknown>) =>
    made.record({ device_id: "d", changed: Object.keys(current), current });
  return { made, posted, told, say };
}

test("texts nobody takes are bounded in bytes, and told; what is taken makes room", () => {
  const { made, posted, told, say } = recorder(100_000);
  for (let count = 0; count < 50; count++) say({ text: `${count}${"x".repeat(8000)}` });
  made.handOver();
  expect(posted).toEqual([12]);
  expect(made.dropped).toBe(38);
  expect(told[0]).toBe("[history] max_waiting_mb");
  say({ number: 1 });
  made.handOver();
  expect(posted).toEqual([12, 1]);
  made.taken(12);
  say({ text: "x".repeat(8000) });
  made.handOver();
  expect(posted).toEqual([12, 1, 1]);
});

test("attributes of endless names are not recorded: series are held by their names", () => {
  const { made, posted, say } = recorder(100_000);
  say({ ["n".repeat(256)]: 1, ["n".repeat(255)]: 1 });
  made.handOver();
  expect(posted).toEqual([1]);
  expect(made.dropped).toBe(1);
});
