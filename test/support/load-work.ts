// One kind of work that a hub under load is given, and whether what it acknowledged of it is still there.
import type { MqttClient } from "mqtt";
import type { Answer, HubProcess, RequestOptions } from "./hub-process.ts";

/** One hub under load. */
export interface Shift {
  readonly hub: HubProcess;
  readonly client: MqttClient;
  /** Unlike any other of the test. */
  readonly round: number;
  readonly gone: () => boolean;
  /** True where it was acknowledged, false where the hub is gone; throws where it is refused. */
  ask(method: string, path: string, body?: unknown): Promise<boolean>;
  /** The same, with what was answered. */
  answer(method: string, path: string, options?: RequestOptions): Promise<Answer | undefined>;
}

export interface Work {
  readonly name: string;
  /** How many writes were acknowledged. */
  readonly acknowledged: number;
  /** Goes on until the hub is gone. */
  work(shift: Shift): Promise<void>;
  /** Asks the next hub. */
  check(hub: HubProcess): Promise<void>;
}

export type List = Record<string, unknown>[];

/** `id` → what `value` makes of each entry of a list. */
export async function listed<T>(
  hub: HubProcess,
  path: string,
  value: (entry: Record<string, unknown>) => T,
  id = "id",
) {
  const list = await hub.get<List>(path);
  return new Map(list.map((entry) => [String(entry[id]), value(entry)]));
}

export const text = (key: string) => (entry: Record<string, unknown>) => String(entry[key]);

/** They are there before the first shift. */
export const DEVICES = ["attic", "barn", "cellar"];
