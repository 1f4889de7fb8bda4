// Every view of the page, for the tests that hold for all of them. A new one is visited by itself; one with a name in its path, such as
// a device's, needs a line here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PageHouse, RULE } from "./support/page-house.ts";
import { addressOf } from "./support/zigbee-devices.ts";

export interface ViewUnderTest {
  name: string;
  path: string | ((house: PageHouse) => Promise<string>);
}

/** As `app.tsx` lists them. */
const PATHS = readFileSync(join(import.meta.dir, "../../src/page/app.tsx"), "utf8")
  .matchAll(/^ {2}\["(\/[^"]*)", later\(/gm)
  .map(([, path = ""]) => path)
  .toArray();
const PLAIN = PATHS.filter((path) => !path.includes(":"));

export const VIEWS: readonly ViewUnderTest[] = [
  { name: "home", path: "/" },
  { name: "home-sheet", path: `/?device=${addressOf(1)}` },
  { name: "home-edit", path: "/?edit=" },
  { name: "home-wall", path: "/?wall=" },
  ...PLAIN.map((path) => ({ name: path.slice(1).replaceAll("/", "-"), path })),
  { name: "search-found", path: "/search?q=lamp" },
  { name: "device", path: `/devices/${addressOf(1)}` },
  { name: "rule", path: rulePath },
  { name: "blueprint", path: "/blueprints/motion-light" },
  { name: "rule-made", path: madeRulePath },
  { name: "scene", path: scenePath },
  { name: "groups-new", path: "/groups?new=1" },
  { name: "schedule", path: schedulePath },
  { name: "connect-zigbee", path: "/connect?with=zigbee" },
  { name: "plugin", path: "/plugins/virtual" },
  { name: "config-text", path: "/system/config?as=text" },
  { name: "channel-new", path: "/messages?channel=" },
  { name: "not-found", path: "/nothing/of/the/kind" },
];

export const pathOf = async ({ path }: ViewUnderTest, house: PageHouse): Promise<string> =>
  typeof path === "string" ? path : path(house);

/** Paths with a name in them that none of the views has. */
export async function unvisited(house: PageHouse): Promise<string[]> {
  const visited = (await Promise.all(VIEWS.map((view) => pathOf(view, house)))).filter((path) => !PLAIN.includes(path));
  const isVisited = (path: string): boolean => {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, "[^/?]+")}(\\?|$)`);
    return visited.some((one) => pattern.test(one));
  };
  return PATHS.filter((path) => path.includes(":") && !isVisited(path));
}

async function schedulePath({ hub }: PageHouse): Promise<string> {
  const [schedule] = await hub.get<{ id: string }[]>("/schedules");
  if (!schedule) throw new Error("there is no schedule");
  return `/schedules/${encodeURIComponent(schedule.id)}`;
}

async function scenePath({ hub }: PageHouse): Promise<string> {
  const [scene] = await hub.get<{ id: string }[]>("/scenes");
  if (!scene) throw new Error("there is no scene");
  return `/scenes/${encodeURIComponent(scene.id)}`;
}

/** That of the rule that works. */
export async function rulePath({ hub }: PageHouse): Promise<string> {
  const rules = await hub.get<{ id: string; name: string | null }[]>("/rules");
  const id = rules.find(({ name }) => name === RULE)?.id;
  if (id === undefined) throw new Error(`there is no rule "${RULE}"`);
  return `/rules/${encodeURIComponent(id)}`;
}

/** That of a rule that a blueprint makes, while it is edited. */
export async function madeRulePath({ hub }: PageHouse): Promise<string> {
  const [{ used_by: users }] = await hub.get<[{ used_by: { id: string }[] }]>("/blueprints");
  return `/rules/${encodeURIComponent(users[0]?.id ?? "")}?tab=edit`;
}
