import { expect, test } from "bun:test";
import { createRecorder } from "../../../src/house/history/recorder.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function recorder(maxTextBytes: number) {
  const sent: number[] = [];
  const reached: string[] = [];
  const clock = createVirtualClock();
  const made = createRecorder({
    clock,
    log: silentLog,
    isExcluded: () => false,
    send: (_, samples) => sent.push(samples),
    maxTextBytes,
    limits: { reached: ({ limit }) => void reached.push(limit) },
  });
  const record = (current: Record<string, unknown>) =>
    made.record({ device_id: "d", changed: Object.keys(current), current }, clock.now());
  return { made, sent, reached, record };
}

test("unacknowledged texts are limited in bytes, and the limit is reported; acknowledged ones free it", () => {
  const { made, sent, reached, record } = recorder(100_000);
  for (let count = 0; count < 50; count++) record({ text: `${count}${"x".repeat(8000)}` });
  made.flush();
  expect(sent).toEqual([12]);
  expect(made.dropped).toBe(38);
  expect(reached[0]).toBe("[history] max_waiting_mb");
  record({ number: 1 });
  made.flush();
  expect(sent).toEqual([12, 1]);
  made.acknowledge(12);
  record({ text: "x".repeat(8000) });
  made.flush();
  expect(sent).toEqual([12, 1, 1]);
});

test("attributes with very long names are not recorded", () => {
  const { made, sent, record } = recorder(100_000);
  record({ ["n".repeat(256)]: 1, ["n".repeat(255)]: 1 });
  made.flush();
  expect(sent).toEqual([1]);
  expect(made.dropped).toBe(1);
});
