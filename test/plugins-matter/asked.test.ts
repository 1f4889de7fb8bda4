// What the other side asks for in one action is one command, and the action fails as it does.
import { expect, test } from "bun:test";
import { type ActionContext, Lifetime, Transaction } from "@matter/main";
import { StatusResponseError } from "@matter/types";
import { HubRefusal } from "../../plugins/matter/answers.ts";
import { collect } from "../../plugins/matter/asked.ts";
import type { Ask } from "../../plugins/matter/parts/part.ts";
import type { JsonObject } from "../../plugins/sdk/index.ts";

/** As matter.js does for each command and each attribute that is set. */
async function act(actor: (ask: (command: JsonObject) => void) => void, ...asks: Ask[]): Promise<void> {
  const transaction = Transaction.open("test", Lifetime.process, "rw");
  for (const ask of asks) actor((command) => ask({ transaction } as unknown as ActionContext, command));
  await transaction.resolve(undefined);
}

test("all that is asked in one action is one command; what is off has no colour", async () => {
  const sent: JsonObject[] = [];
  const ask = collect("lamp", async (command) => void sent.push(command));
  await act((wants) => {
    wants({ on: true });
    wants({ brightness_pct: 40 });
    wants({ brightness_pct: 41 });
  }, ask);
  await act((wants) => {
    wants({ brightness_pct: 1 });
    wants({ on: false });
  }, ask);
  expect(sent).toEqual([{ on: true, brightness_pct: 41 }, { on: false }]);
});

test("devices that are asked in one action are asked each for itself", async () => {
  const sent: string[] = [];
  const asks = ["a", "b"].map((id) => collect(id, async () => void sent.push(id)));
  await act((wants) => wants({ on: true }), ...asks);
  expect(sent).toEqual(["a", "b"]);
});

const late = new Error("too late");
late.name = "TimeoutError";

test.each<[string, Error, number]>([
  ["a device that is away", new HubRefusal("it is away", 409), 0x01],
  ["a value beyond its range", new HubRefusal("must be from 5 to 30", 400), 0x87],
  ["what is not allowed", new HubRefusal("may not", 403), 0x7e],
  ["a device that is gone", new HubRefusal("no device", 404), 0x8b],
  ["too much at once", new HubRefusal("too many", 429), 0x9c],
  ["a hub that does not answer", late, 0x94],
  ["a hub that is not there", new Error("connection refused"), 0x01],
])("%s fails the action", async (_what, refusal, code) => {
  const ask = collect("lamp", () => Promise.reject(refusal));
  const failed = await act((wants) => wants({ on: true }), ask).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StatusResponseError);
  expect(failed).toMatchObject({ code });
});
