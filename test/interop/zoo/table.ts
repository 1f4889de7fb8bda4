// A program's table, row by row: each is a line, ok or failed.
import { isDeepStrictEqual } from "node:util";
import { until } from "../../support/wait.ts";
import { check, print } from "../checks.ts";
import type { Device, Zoo } from "./house.ts";
import type { Commanded, Expected, ExpectedDevice, Program, Run } from "./program.ts";

/** For all devices of a program to be there as they must be. */
const APPEAR_MS = 30_000;
const OBEY_MS = 10_000;

const short = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 200);

function has(expected: Expected, found: unknown): boolean {
  const { value } = expected;
  if (value === undefined) return found !== undefined && found !== null;
  return typeof value === "function" ? Boolean(value(found)) : isDeepStrictEqual(found, value);
}

/** What is not so; undefined where all is. */
function wrongIn(device: Device | undefined, expected: ExpectedDevice): string[] {
  if (!device) return [`${expected.name}: there is no such device`];
  const wrong = [];
  for (const [name, one] of Object.entries(expected.attributes)) {
    const unit = device.schema?.properties?.[name]?.unit;
    const found = device.attributes[name];
    if (!has(one, found)) wrong.push(`${name} is ${short(found)}`);
    else if (unit !== one.unit) wrong.push(`${name} is in ${unit ?? "no unit"}, not ${one.unit ?? "in none"}`);
  }
  return wrong;
}

export async function checkProgram(zoo: Zoo, program: Program): Promise<void> {
  const run = await program.start(zoo);
  let devices: Device[] = [];
  const named = (name: string): Device | undefined => devices.find((one) => one.name === name);
  const isAllThere = async (): Promise<boolean> => {
    devices = await Promise.all((await zoo.devices()).map(({ id }) => zoo.hub.get<Device>(`/devices/${id}`)));
    return program.devices.every((one) => wrongIn(named(one.name), one).length === 0);
  };
  // What is missing is reported by the rows.
  await until("all is there", isAllThere, { timeoutMs: APPEAR_MS }).catch(() => {});
  for (const expected of program.devices) await checkDevice(zoo, run, { expected, device: named(expected.name) });
  await check("no other device appears", () => {
    const others = devices.filter(({ name }) => !program.devices.some((one) => one.name === name));
    if (devices.length !== program.devices.length)
      throw new Error(`${devices.map(({ name, id }) => `${name} (${id})`)}`);
    if (others.length > 0) throw new Error(`${others.map(({ name }) => name)}`);
  });
  if (program.leaves) await checkLeaving(zoo, run);
  if (process.env.ZOO_SHOW) for (const one of devices) print(describe(one));
  if (process.env.ZOO_SHOW) print(run.log.slice(-3000));
}

function describe({ id, name, device_type, available, attributes, schema }: Device): string {
  const units = Object.entries(attributes).map(([key, value]) => {
    const { unit } = schema?.properties?.[key] ?? {};
    return `    ${key}: ${short(value)}${unit === undefined ? "" : ` ${unit}`}`;
  });
  const known = Object.keys(schema?.properties ?? {}).filter((key) => !(key in attributes));
  return [`  ${id} "${name}" ${device_type} ${available}`, ...units, `    without a value: ${known}`].join("\n");
}

async function checkDevice(
  zoo: Zoo,
  run: Run,
  { expected, device }: { expected: ExpectedDevice; device: Device | undefined },
): Promise<void> {
  const { name, attributes, device_type, commands = [] } = expected;
  await check(`${name}: is a ${device_type ?? "device"}, and available`, () => {
    if (!device) throw new Error("there is no such device");
    if (!device.available) throw new Error("it is not available");
    if (device_type !== undefined && device.device_type !== device_type) throw new Error(device.device_type);
  });
  if (!device) return;
  for (const [attribute, one] of Object.entries(attributes)) {
    const of = [
      typeof one.value === "function" || one.value === undefined ? "" : ` ${short(one.value)}`,
      one.unit ?? "",
    ];
    await check(`${name}: ${attribute}${of.join(" ").trimEnd()}`, () => {
      const wrong = wrongIn(device, { ...expected, attributes: { [attribute]: one } });
      if (wrong.length > 0) throw new Error(wrong.join());
    });
  }
  if (expected.hasMore !== true) await checkOthers(device, expected);
  for (const one of commands) await checkCommand(zoo, run, { id: device.id, name, ...one });
}

async function checkOthers(device: Device, { name, attributes }: ExpectedDevice): Promise<void> {
  await check(`${name}: has no other attribute`, () => {
    const all = new Set([...Object.keys(device.attributes), ...Object.keys(device.schema?.properties ?? {})]);
    const others = [...all].filter((one) => !(one in attributes));
    if (others.length > 0) throw new Error(others.map((one) => `${one} ${short(device.attributes[one])}`).join(", "));
  });
}

async function checkCommand(
  zoo: Zoo,
  run: Run,
  { id, name, send, becomes, obeyed }: Commanded & { id: string; name: string },
): Promise<void> {
  await check(`${name}: obeys ${short(send)}`, async () => {
    const answer = await zoo.hub.request("PATCH", `/devices/${id}/state`, { body: send });
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.json().detail}`);
    let seen: Record<string, unknown> = {};
    const isSo = async (): Promise<boolean> => {
      seen = (await zoo.hub.get<Device>(`/devices/${id}`)).attributes;
      const isSaid = Object.entries(becomes ?? {}).every(([key, value]) => isDeepStrictEqual(seen[key], value));
      return isSaid && (obeyed?.(run) ?? true);
    };
    await until("it obeys", isSo, { timeoutMs: OBEY_MS }).catch(() => {
      const found = Object.keys(becomes ?? {}).map((key) => `${key} is ${short(seen[key])}`);
      throw new Error(`it does not: ${found.join(", ")}`);
    });
  });
}

async function checkLeaving(zoo: Zoo, run: Run): Promise<void> {
  await check("when it ends, none of its devices is available", async () => {
    await run.end();
    const areGone = async (): Promise<boolean> => (await zoo.devices()).every(({ available }) => !available);
    await until("they are gone", areGone, { timeoutMs: OBEY_MS });
  });
}
