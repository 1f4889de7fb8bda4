// The names of what rules speak of: devices, modes, scenes and rules. Ids are shown where no name is known.

import { signal } from "@preact/signals";
import { isolated } from "../../../model/rules/rule-text.ts";
import { nameOfDevice } from "../../../state/house/devices.ts";
import { get } from "../../../state/hub/api.ts";

export type Named = "mode" | "scene" | "rule" | "channel" | "area";
type Known = Readonly<Record<Named, ReadonlyMap<string, string>>>;

const NONE: ReadonlyMap<string, string> = new Map();
export const known = signal<Known>({ mode: NONE, scene: NONE, rule: NONE, channel: NONE, area: NONE });

interface Listed {
  id: string;
  name: string;
}

/** Reads the names; what cannot be read keeps its ids. */
export async function loadNames(): Promise<void> {
  const [modes, scenes, areas, channels] = await Promise.all([
    listed("/modes"),
    listed("/scenes"),
    listed("/areas"),
    listed("/notify/channels"),
  ]);
  known.value = { ...known.value, mode: modes, scene: scenes, area: areas, channel: channels };
}

async function listed(path: string): Promise<ReadonlyMap<string, string>> {
  try {
    const list = await get<(Partial<Listed> & { name: string })[]>(path);
    return new Map(list.map(({ id, name }) => [id ?? name, name]));
  } catch {
    return NONE;
  }
}

export function setRuleNames(rules: readonly Listed[]): void {
  known.value = { ...known.value, rule: new Map(rules.map(({ id, name }) => [id, name])) };
}

export function nameOf(kind: Named, id: string): string {
  return isolated(known.value[kind].get(id) ?? id);
}

export function deviceName(id: string): string {
  return isolated(nameOfDevice(id) ?? id);
}
