// docs/adding-things.md is true: all its examples, applied to a copy of this repository, touch the files its table promises, and what comes
// out runs and passes the tests that look at each of a kind. What the examples do not touch is tested where it stands. That the copy
// compiles has a file of its own.
// Over 10 s: a copy of the project is changed, built and tested.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyWithExamples, type Ended, REPOSITORY, type RepositoryCopy } from "./repository-copy.ts";
import { anchorOf, promisesOf } from "./steps.ts";

// Written by `bun run docs`.
const WRITTEN_DOCS = [
  ...["docs/api.md", "docs/devices.md", "docs/notifications.md", "docs/profiles.md"],
  ...["docs/rules/actions.md", "docs/rules/conditions.md", "docs/rules/triggers.md"],
];
/** Files that try each of a kind, and of some that try each for long, the tests that are about what is new. */
const TESTS: readonly (readonly string[])[] = [
  [
    ...["./test/contract/configuration.test.ts", "./test/contract/events.test.ts", "./test/contract/routes.test.ts"],
    ...[
      "./test/contract/rules.test.ts",
      "./test/app/config/load.test.ts",
      "./test/house/discovery/profiles-shipped.test.ts",
    ],
    ...["./test/web/rule-words.test.ts", "./test/web/hub-words.test.ts", "./test/web/texts.test.ts"],
    ...["./test/web/first-texts.test.ts", "./test/web/page/event-words.test.ts"],
  ],
  ["./test/contract/channels.test.ts", "-t", "gotify"],
  ["./test/contract/openapi.test.ts", "-t", "every GET answers"],
];
const MINUTES = 60_000;

// A house with a lamp in the hall.
const SEED = `
import { openStateDb } from "./src/server/db/state-db.ts";
using db = openStateDb(process.argv[1], Date.now);
db.durable.run("INSERT INTO devices (id, plugin_id, name, area, created_at) VALUES ('lamp', 'zigbee', 'Lamp', 'hall', 0)");
console.log("note:", db.durable.query("SELECT note FROM devices").get().note);
`;
const CHANNEL = `
[[notify.channels]]
name = "board"
type = "gotify"
api_url = "https://gotify.home.example"
app_tokn = "x"
`;
const RULE = `(
  id: "11111111-1111-4111-8111-111111111111",
  name: "Areas",
  conditions: [AreaIs(device_id: "lamp", area_id: "hall"), AreaIs(device_id: "lamp", area_id: "cellar")],
  actions: [Notify(channel: "board", message: "here")],
)
`;

let copy: RepositoryCopy;

beforeAll(async () => {
  copy = copyWithExamples();
  expect(await bun("build.ts", "--embedded", "dice")).toEqual({ code: 0, output: "" });
}, MINUTES);
afterAll(() => copy[Symbol.dispose]());

const bun = (...args: string[]): Promise<Ended> => copy.run([process.execPath, ...args]);
const hub = (...args: string[]): Promise<Ended> => bun("src/main.ts", ...args);

test("every line of the table has its example, and that touches the files the line promises", () => {
  const promises = promisesOf(copy.page);
  expect(copy.touched.map(({ title }) => anchorOf(title))).toEqual(promises.map(({ anchor }) => anchor));
  for (const [index, { anchor, files: promised, elsewhere }] of promises.entries()) {
    const patterns = promised.map(patternOf);
    const files = copy.touched[index]?.files ?? [];
    const others = files.filter((file) => !patterns.some((pattern) => pattern.test(file)));
    const kept = promised.filter((_, at) => files.some((file) => patterns[at]?.test(file)));
    expect({ anchor, promised: kept, others: others.filter((file) => !elsewhere || !file.startsWith("src/")) }).toEqual(
      {
        anchor,
        promised,
        others: [],
      },
    );
  }
});

/** `<noun>` is one part of a path. */
function patternOf(path: string): RegExp {
  const parts = path.split(/<[^>]+>/).map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}

test(
  "`bun run docs` writes the tables",
  async () => {
    const written = await copy.run([process.execPath, "test", "./test/contract/docs-tables.test.ts"], {
      HUB_WRITE_DOCS: "1",
    });
    expect(written).toMatchObject({ code: 0 });
    const isChanged = (file: string): boolean =>
      readFileSync(join(copy.root, file), "utf8") !== readFileSync(join(REPOSITORY, file), "utf8");
    const docs = readdirSync(join(copy.root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`);
    const byHand = copy.touched.flatMap(({ files }) => files);
    expect(docs.filter((file) => isChanged(file) && !byHand.includes(file)).sort()).toEqual(WRITTEN_DOCS);
  },
  MINUTES,
);

test.each(TESTS.map((files) => [files] as const))(
  "the tests pass: %j",
  async (files) => {
    const { code, output } = await bun("test", ...files, "--timeout", "60000");
    const failed = output.split("\n").filter((line) => line.includes("(fail)"));
    expect({ code, failed, ran: /^\s*[1-9]\d* pass$/m.test(output) }).toEqual({ code: 0, failed: [], ran: true });
  },
  2 * MINUTES,
);

test(
  "the hub runs with all of it",
  async () => {
    const home = copy.folder.at("home");
    expect(await hub("init", "--home", home)).toMatchObject({ code: 0 });
    expect(await hub("where", "--home", home)).toEqual({ code: 0, output: `${home}\n` });
    expect(existsSync(join(home, "plugins/dice/bin/dice.js"))).toBe(true);
    const seeded = await bun("-e", SEED, join(home, "data/state.redb"));
    expect(seeded).toEqual({ code: 0, output: "note: null\n" });

    const hubToml = join(home, "config/hub.toml");
    const text = readFileSync(hubToml, "utf8");
    writeFileSync(hubToml, text.replace("# connect_timeout_secs = 10", "connect_timeout_secs = 0") + CHANNEL);
    writeFileSync(join(home, "rules/areas.ron"), RULE);
    const wrong = await hub("check", "--home", home);
    expect(wrong.code).toBe(1);
    expect(wrong.output).toMatch(/hub\.toml:\d+: mqtt\.connect_timeout_secs: must be a whole number from 1 to 60\n/);
    expect(wrong.output).toMatch(/hub\.toml:\d+: notify\.channels\[0\]\.app_tokn: .*did you mean "app_token"/);
    expect(wrong.output).toContain('conditions[1].area_id: there is no area "cellar"');
    expect(wrong.output).not.toContain('"hall"');

    writeFileSync(hubToml, text + CHANNEL.replace("app_tokn", "app_token"));
    const right = await hub("check", "--home", home);
    expect(right.code).toBe(0);
    expect(right.output).toContain("is valid");
  },
  MINUTES,
);
