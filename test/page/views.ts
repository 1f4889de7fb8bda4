// Every view of the page, for the tests that hold for all of them: a new view is one line here.
import { type PageHouse, RULE } from "./support/page-house.ts";
import { addressOf } from "./support/zigbee-devices.ts";

export interface ViewUnderTest {
  name: string;
  path: string | ((house: PageHouse) => Promise<string>);
}

export const VIEWS: readonly ViewUnderTest[] = [
  { name: "home", path: "/" },
  { name: "home-sheet", path: `/?device=${addressOf(1)}` },
  { name: "home-edit", path: "/?edit=" },
  { name: "home-wall", path: "/?wall=" },
  { name: "search", path: "/search?q=lamp" },
  { name: "devices", path: "/devices" },
  { name: "device", path: `/devices/${addressOf(1)}` },
  { name: "inbox", path: "/inbox" },
  { name: "rules", path: "/rules" },
  { name: "rule", path: rulePath },
  { name: "rule-new", path: "/rules/new" },
  { name: "blueprints", path: "/blueprints" },
  { name: "blueprint", path: "/blueprints/motion-light" },
  { name: "rule-made", path: madeRulePath },
  { name: "activity", path: "/activity" },
  { name: "areas", path: "/areas" },
  { name: "scenes", path: "/scenes" },
  { name: "modes", path: "/modes" },
  { name: "timers", path: "/timers" },
  { name: "groups", path: "/groups" },
  { name: "groups-new", path: "/groups?new=1" },
  { name: "schedules", path: "/schedules" },
  { name: "schedule", path: schedulePath },
  { name: "calendars", path: "/calendars" },
  { name: "variables", path: "/variables" },
  { name: "messages", path: "/messages" },
  { name: "welcome", path: "/welcome" },
  { name: "connect", path: "/connect" },
  { name: "connect-zigbee", path: "/connect?with=zigbee" },
  { name: "plugins", path: "/plugins" },
  { name: "plugin", path: "/plugins/virtual" },
  { name: "plugin-install", path: "/plugins/install" },
  { name: "accounts", path: "/accounts" },
  { name: "account", path: "/account" },
  { name: "system", path: "/system" },
  { name: "audit", path: "/system/audit" },
  { name: "backups", path: "/system/backups" },
  { name: "config", path: "/system/config" },
  { name: "config-text", path: "/system/config?as=text" },
  { name: "channel-new", path: "/messages?channel=" },
  { name: "keys", path: "/system/keys" },
  { name: "sessions", path: "/system/sessions" },
  { name: "users", path: "/system/users" },
  { name: "upgrade", path: "/upgrade" },
  { name: "more", path: "/more" },
  { name: "not-found", path: "/nothing/of/the/kind" },
];

export const pathOf = async ({ path }: ViewUnderTest, house: PageHouse): Promise<string> =>
  typeof path === "string" ? path : path(house);

async function schedulePath({ hub }: PageHouse): Promise<string> {
  const [schedule] = await hub.get<{ id: string }[]>("/schedules");
  if (!schedule) throw new Error("there is no schedule");
  return `/schedules/${encodeURIComponent(schedule.id)}`;
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
