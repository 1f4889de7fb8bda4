// What another home sees, and what the devices of the house are commanded.
import { isDeepStrictEqual } from "node:util";
import { until } from "../../support/wait.ts";
import type { Controller } from "./controller.ts";
import type { House } from "./house.ts";

export const LAMP = "Lamp over the long dining table";

/** Until the other home sees this. */
export async function shows(home: Controller, label: string, cluster: string, wanted: object): Promise<void> {
  let seen: unknown;
  const isSo = async (): Promise<boolean> => {
    const state = await home.read(label, cluster);
    seen = Object.fromEntries(Object.keys(wanted).map((key) => [key, state[key]]));
    return JSON.stringify(seen) === JSON.stringify(wanted);
  };
  await until(`${label} shows ${JSON.stringify(wanted)}`, isSo).catch(() => {
    throw new Error(`${label} shows ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
  });
}

/** The action succeeds, and the device is commanded this, and once. */
export async function commanded(house: House, id: string, command: object, act: () => Promise<void>): Promise<void> {
  const before = house.commands.length;
  const since = () => house.commands.slice(before).flatMap((one) => (one.id === id ? [one.command] : []));
  await act();
  await until(`${id} is told`, () => since().length > 0);
  if (!isDeepStrictEqual(since(), [command])) throw new Error(`told ${JSON.stringify(since())}`);
}

/** The action fails with this status of Matter, and the device was sent `command`, or nothing. */
export async function refused(
  house: House,
  id: string,
  { status, command }: { status: number; command?: object },
  act: () => Promise<void>,
): Promise<void> {
  const before = house.commands.length;
  const answer = await act().then(
    () => "success",
    (error: { code?: number }) => error.code ?? String(error),
  );
  if (answer !== status) throw new Error(`answered ${answer}`);
  const since = house.commands.slice(before).flatMap((one) => (one.id === id ? [one.command] : []));
  if (!isDeepStrictEqual(since, command ? [command] : [])) throw new Error(`told ${JSON.stringify(since)}`);
}
