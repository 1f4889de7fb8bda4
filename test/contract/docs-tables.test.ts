// Tables of the documentation that list what there is: each names everything with its definition's own words.
// After a change `bun run docs` writes them anew.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TObject, Type } from "@sinclair/typebox";
import { stringify } from "smol-toml";
import { profileAssets } from "../../src/app/cli/profile-assets.ts";
import {
  ActionTable,
  AttributeTable,
  AvailabilityTable,
  ButtonTable,
  CommandTable,
  ProfileTable,
} from "../../src/house/discovery/sources/profiles/schema.ts";
import { DEVICE_KINDS, type Word } from "../../src/house/state/words/vocabulary.ts";
import { isObject, type JsonObject } from "../../src/kit/schema/json.ts";
import { readToml } from "../../src/kit/schema/toml.ts";
import type { ChannelDefinition } from "../../src/reach/notify/channel.ts";
import { kinds } from "../../src/reach/notify/channels/index.ts";
import type { Kind } from "../../src/rules/model/fields.ts";
import { members } from "../../src/rules/read/schemas.ts";
import { catalog } from "../../src/server/events/catalog.ts";
import { expectDocsTable, expectDocsText } from "../support/docs-table.ts";
import { ronOf } from "../support/ron-of.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

const ORDER = ["public", "viewer", "user", "admin", "key"];
const code = (text: string): string => `\`${text}\``;

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub();
});
afterAll(() => hub[Symbol.asyncDispose]());

test("who may do what", async () => {
  const document = (await (await hub.request("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, { summary: string; "x-access": string }>>;
  };
  const requests = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary, "x-access": access }]) => ({
      access,
      path: path.replace("/api/v1", "").replace(/\{(\w+)\}/g, ":$1"),
      method: method.toUpperCase(),
      summary,
    })),
  );
  expect(requests.length).toBeGreaterThan(80);
  const rows = requests
    .sort((a, b) => ORDER.indexOf(a.access) - ORDER.indexOf(b.access) || (a.path < b.path ? -1 : 1))
    .map(({ access, method, path, summary }) => [code(access), code(`${method} ${path}`), summary]);
  expectDocsTable("api.md", "roles", [["role", "request", "what it does"], ...rows]);
});

test("event types", () => {
  const rows = catalog.map(({ type, doc, example }) => [code(type), doc, code(JSON.stringify(example))]);
  expectDocsTable("api.md", "events", [["type", "when", "its own fields, such as"], ...rows]);
});

test("words that devices share", () => {
  const values = ({ type, unit, min, max, options }: Word): string => {
    if (options) return options.map(code).join(", ");
    if (type === "boolean") return "`true`, `false`";
    if (type === "string") return "text";
    return [min === undefined ? "number" : `${min} to ${max}`, unit].filter((part) => part !== undefined).join(" ");
  };
  const rows = DEVICE_KINDS.flatMap(({ kind, words }) =>
    words.map((word) => [code(kind), code(word.name), values(word), word.writable ? "yes" : "no", word.doc]),
  );
  expectDocsTable("devices.md", "words", [["kind", "attribute", "values", "commanded", "meaning"], ...rows]);
});

const SAYS: Record<Kind, string> = { trigger: "when", condition: "passes when", action: "does" };

test.each(Object.keys(members) as Kind[])("%ss of rules", (kind) => {
  const rows = [...members[kind].values()].map(({ type, doc, schema }) => [
    code(type),
    doc,
    code(ronOf(kind, schema.examples[0])),
  ]);
  expectDocsTable(`rules/${kind}s.md`, `${kind}s`, [["type", SAYS[kind], "example"], ...rows]);
});

const channels = kinds as readonly unknown[] as readonly ChannelDefinition[];

test("notification channels", () => {
  const entries = channels.map(({ kind, doc, example }) => {
    const { name, ...keys } = example;
    const toml = stringify({ notify: { channels: [{ name, type: kind, ...keys }] } });
    return `${code(kind)}: ${doc}\n\n\`\`\`toml\n${toml.trim()}\n\`\`\``;
  });
  expectDocsText("notifications.md", "channels", entries.join("\n\n"));
});

test("every key of a channel is in its example, or has its row", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/notifications.md"), "utf8");
  const missing = channels.flatMap(({ kind, schema, example }) =>
    keysOf(schema, example).filter((key) => !new RegExp(`^\\|.*\`${key}\`.*\\|.*\`${kind}\``, "m").test(page)),
  );
  expect(missing).toEqual([]);
});

test("profiles that come with the hub", () => {
  const rows = profileAssets.map(({ path, content }) => {
    const read = readToml(content);
    const { description = "the example to copy", enabled } = read.ok ? read.table : {};
    return [code(basename(path)), String(description), enabled === false ? "off" : "on"];
  });
  expectDocsTable("profiles.md", "shipped", [["file", "for", "as it comes"], ...rows]);
});

const own = ({ properties }: TObject, without: TObject = Type.Object({})): TObject["properties"] =>
  Object.fromEntries(Object.entries(properties).filter(([key]) => !(key in without.properties)));

test.each([
  ["profile", own(ProfileTable)],
  ["attribute", own(AttributeTable)],
  ["command", own(CommandTable)],
  ["button", own(ButtonTable, CommandTable)],
  ["action", own(ActionTable)],
  ["availability", own(AvailabilityTable)],
])("the keys of a profile: %s", (name, properties) => {
  const described = Object.entries(properties).filter(([, { description }]) => description !== undefined);
  // The others are tables of their own, with their own part of the page.
  const tables = Object.keys(properties).filter((key) => !described.some(([one]) => one === key));
  expect(
    tables.filter((key) => !["attributes", "commands", "actions", "availability", "command"].includes(key)),
  ).toEqual([]);
  const rows = described.map(([key, { description }]) => [code(key), String(description)]);
  expectDocsTable("profiles.md", name, [["key", "what it says"], ...rows]);
});

/** Dotted keys that the example does not show. */
function keysOf(schema: TObject, example: JsonObject, path = ""): string[] {
  return Object.entries(schema.properties).flatMap(([key, field]) => {
    const shown = example[key];
    if (field.properties) return keysOf(field as TObject, isObject(shown) ? shown : {}, `${path}${key}.`);
    return shown === undefined && key !== "type" ? [`${path}${key}`] : [];
  });
}
