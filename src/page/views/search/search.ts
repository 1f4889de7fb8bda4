// What the search goes through, and what it finds: every word must be somewhere in what a thing is called.

import { computed } from "@preact/signals";
import type { IconName } from "../../model/device/icon-name.ts";
import { iconOf } from "../../model/device/kinds.ts";
import { devices, shape } from "../../state/house/devices.ts";
import { hubList } from "../../state/house/list.ts";
import { areaName, areas, scenes, variables } from "../../state/house/lists.ts";
import type { TextKey } from "../../texts/catalogue.ts";
import { t } from "../../texts/index.ts";

export interface Hit {
  id: string;
  icon: IconName;
  name: string;
  /** What it is, such as `Device · Kitchen`. */
  kind: string;
  href: string;
}

interface Sought extends Hit {
  text: string;
}

const rules = hubList<{ id: string; name: string; tags?: string[] }[]>(
  "/rules",
  [],
  ({ type }) => type === "rule_changed",
);
const plugins = hubList<{ id: string }[]>("/plugins", []);

export function startSearch(): void {
  for (const list of [areas, scenes, variables, rules, plugins]) list.start();
}

/** Places of the page, with further words that people may look for. */
const PLACES: readonly [path: string, icon: IconName, text: TextKey, also: TextKey][] = [
  ["/", "house", "nav.home", "search.also_home"],
  ["/rules", "workflow", "nav.rules", "search.also_rules"],
  ["/activity", "activity", "nav.activity", "search.also_activity"],
  ["/devices", "plug", "search.devices", "search.also_devices"],
  ["/messages", "menu", "search.messages", "search.also_messages"],
  ["/plugins", "menu", "search.plugins", "search.also_plugins"],
  ["/system", "menu", "search.system", "search.also_system"],
  ["/connect", "plus", "search.connect", "search.also_connect"],
  ["/more", "menu", "nav.more", "search.also_more"],
];

const sought = computed((): Sought[] => {
  shape.value;
  const all: Sought[] = PLACES.map(([href, icon, text, also]) => ({
    ...{ id: `place${href}`, icon, name: t(text), kind: t("search.place"), href },
    text: `${t(text)} ${t(also)}`,
  }));
  for (const own of devices.value.values()) {
    const device = own.peek();
    const { id, name, area, manufacturer, model, device_type: type } = device;
    const where = area === null || area === "" ? "" : ` · ${areaName(area)}`;
    all.push({
      ...{ id: `device/${id}`, icon: iconOf(device), name, kind: t("search.device") + where },
      href: `/devices/${encodeURIComponent(id)}`,
      text: [name, id, where, manufacturer, model, type].join(" "),
    });
  }
  for (const { id, name } of areas.value.value)
    all.push(sort("area", { id, name, icon: "house", href: `/?area=${encodeURIComponent(id)}` }));
  for (const { id, name } of scenes.value.value)
    all.push(sort("scene", { id, name, icon: "scene", href: `/scenes/${encodeURIComponent(id)}` }));
  for (const { name } of variables.value.value)
    all.push(sort("variable", { id: name, name, icon: "variable", href: "/variables" }));
  for (const { id, name, tags = [] } of rules.value.value)
    all.push(sort("rule", { id, name, icon: "workflow", href: `/rules/${encodeURIComponent(id)}` }, tags));
  for (const { id } of plugins.value.value)
    all.push(sort("plugin", { id, name: id, icon: "menu", href: `/plugins/${encodeURIComponent(id)}` }));
  return all.map((one) => ({ ...one, text: checkpointed(one.text) }));
});

function sort(
  kind: "area" | "scene" | "variable" | "rule" | "plugin",
  { id, ...hit }: Omit<Hit, "kind">,
  also: readonly string[] = [],
): Sought {
  return { ...hit, id: `${kind}/${id}`, kind: t(`search.${kind}`), text: [hit.name, id, ...also].join(" ") };
}

/** Without case and accents: `kuche` finds `Küche`. */
function checkpointed(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

/** The best first: whose name begins with it, then whose word does. */
export function matching(asked: string): Hit[] {
  const text = checkpointed(asked.trim());
  if (text === "") return [];
  const words = text.split(/\s+/);
  return sought.value
    .filter((one) => words.every((word) => one.text.includes(word)))
    .map((one) => ({ one, rank: one.text.startsWith(text) ? 0 : one.text.includes(` ${words[0]}`) ? 1 : 2 }))
    .sort((a, b) => a.rank - b.rank || a.one.name.localeCompare(b.one.name))
    .map(({ one }) => one);
}
