import { expect, test } from "bun:test";
import { NamedStack } from "../../../../src/app/hub/start/named-stack.ts";

test("while parts are stopped, the one that is waited for has its name", async () => {
  let part = "stores";
  const seen: string[] = [];
  const stack = new NamedStack(() => part);
  stack.use({ [Symbol.dispose]: () => void seen.push(`first: ${stack.stopping}`) });
  part = "plugins";
  const { promise, resolve } = Promise.withResolvers<void>();
  stack.defer(() => promise);
  const stopped = stack.move().disposeAsync();
  await Promise.resolve();
  expect([stack.stopping, seen]).toEqual(["plugins", []]);
  resolve();
  await stopped;
  expect(seen).toEqual(["first: stores"]);
});
