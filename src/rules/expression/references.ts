// Which devices, variables and modes an expression names outright, so that unknown ones can be told before it runs.
import { type CelNode, callOf, literalText, nodesOf } from "./cel-tree.ts";
import type { References } from "./host.ts";

const KINDS: Readonly<Record<string, keyof References>> = {
  device: "devices",
  device_state: "devices",
  hub_var: "variables",
  mode: "modes",
};

export function referencesOf(root: CelNode): References {
  const found = { devices: new Set<string>(), variables: new Set<string>(), modes: new Set<string>() };
  for (const node of nodesOf(root)) {
    const call = callOf(node);
    const kind = call && !call.isMethod && Object.hasOwn(KINDS, call.name) ? KINDS[call.name] : undefined;
    const name = literalText(call?.operands[0]);
    if (kind && name !== undefined) found[kind].add(name);
  }
  const sorted = (names: Set<string>): string[] => [...names].sort();
  return { devices: sorted(found.devices), variables: sorted(found.variables), modes: sorted(found.modes) };
}
