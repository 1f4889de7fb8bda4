// What is wrong in hub.toml keeps only that out of use, except for who may do what.
import { describe, expect, test } from "bun:test";
import { confine } from "../../../src/app/config/confine.ts";
import { checkConfig } from "../../../src/app/config/load.ts";
import { BackupSection } from "../../../src/copies/backup/config.ts";
import { sectionOf } from "../../support/section.ts";

const AUTH = '[auth]\njwt_secret = "0123456789abcdef0123456789abcdef"\n';
const plugin = (id: string, more = ""): string =>
  `[[plugins]]\nid = "${id}"\nbinary = "plugins/${id}/bin/${id}"\n${more}`;
const user = (name: string, more = ""): string =>
  `[[mqtt.users]]\nusername = "${name}"\npassword = "long enough"\n${more}`;

/** What is left out, and what remains. */
function read(text: string) {
  const { config, problems } = checkConfig(AUTH + text);
  if (!config) throw new Error(JSON.stringify(problems));
  const faults = (config.faults ?? []).map(({ path, line, name }) => `${line}: ${path}${name ? ` (${name})` : ""}`);
  return { config, faults, problems };
}

test("a configuration without faults says so", () => {
  const { config, problems } = read(plugin("a") + user("b"));
  expect(config.faults).toBeUndefined();
  expect(problems).toEqual([]);
});

describe("a channel that publishes on the broker", () => {
  const display = (topic: string, more = "") =>
    `[[notify.channels]]\nname = "display"\ntype = "mqtt"\ntopic = "${topic}"\n${more}`;
  test.each<[string, string]>([
    ["hub/devices/lamp/cmd", display("hub/devices/lamp/cmd")],
    ["the prefix itself", display("hub")],
    ["a prefix of one's own", `${display("my/hub/x")}[mqtt]\nprefix = "my/hub"\n`],
  ])("on %s is off, and its problem says what to do", (_, text) => {
    const { faults, problems } = read(text);
    expect(faults).toEqual(["6: notify.channels[0].topic"]);
    expect(problems[0]?.message).toMatch(
      /^is one of the hub's own topics.* begin with "(my\/)?hub\/", or set hub_topics = true$/,
    );
  });
  test.each([
    display("hubs/x"),
    display("hub/x", "hub_topics = true\n"),
    `${display("hub/x")}[mqtt]\nprefix = "my/hub"\n`,
  ])("is right: %j", (text) => expect(read(text).problems).toEqual([]));
});

describe("a plugin entry", () => {
  const digits = "9".repeat(309);
  const rows: [what: string, entry: string, fault: string][] = [
    ["an id that cannot be one", plugin("a/b"), "4: plugins[0].id (a/b)"],
    ["no id", '[[plugins]]\nbinary = "x"\n', "3: plugins[0].id"],
    ["no binary", '[[plugins]]\nid = "x"\n', "3: plugins[0].binary (x)"],
    ["a number for a path", '[[plugins]]\nid = "x"\nbinary = 3\n', "5: plugins[0].binary (x)"],
    [
      "a number too large",
      plugin("x", `heartbeat_timeout_secs = ${digits}\n`),
      "6: plugins[0].heartbeat_timeout_secs (x)",
    ],
    ["nan", plugin("x", "heartbeat_timeout_secs = nan\n"), "6: plugins[0].heartbeat_timeout_secs (x)"],
    ["a date", plugin("x", "enabled = 2026-01-01\n"), "6: plugins[0].enabled (x)"],
    ["an unknown key", plugin("x", "enabeld = true\n"), "6: plugins[0].enabeld (x)"],
    ["a prototype", plugin("x", "env = { __proto__ = 'y' }\n"), "6: plugins[0].env.__proto__ (x)"],
    ["NUL in a path", '[[plugins]]\nid = "x"\nbinary = "a\\u0000b"\n', "3: plugins[0] (x)"],
    ["the id of the one before", plugin("good") + plugin("GOOD"), "7: plugins[1].id (GOOD)"],
    ["the hub's own id", plugin("core"), "4: plugins[0].id (core)"],
  ];
  test.each(rows)("with %s is left out, the others are not", (_, entry, fault) => {
    const first = entry.startsWith(plugin("good"));
    const { config, faults } = read(entry + (first ? "" : plugin("good")));
    expect(faults).toEqual([fault]);
    expect(config.plugins.map(({ id }) => id)).toEqual(["good"]);
  });

  test("no table at all, or a list that is none", () => {
    expect(checkConfig(`plugins = [1, "x"]\n${AUTH}`).config).toMatchObject({ plugins: [], faults: [{}, {}] });
    expect(read("[plugins]\nid = 1\n").config).toMatchObject({ plugins: [], faults: [{ path: "plugins", line: 3 }] });
  });

  test("several wrong ones keep their places in the file", () => {
    const { config, faults } = read(
      plugin("a/b") + plugin("x") + plugin("c", "x = 1\ny = 2\n") + plugin("X") + plugin("z"),
    );
    expect(faults).toEqual([
      "4: plugins[0].id (a/b)",
      "12: plugins[2].x (c)",
      "13: plugins[2].y (c)",
      "15: plugins[3].id (X)",
    ]);
    expect(config.plugins.map(({ id }) => id)).toEqual(["x", "z"]);
  });
});

describe("an MQTT account", () => {
  test.each([
    ["without a password", '[[mqtt.users]]\nusername = "x"\n'],
    ["with a topic that is none", user("x", 'publish = ["a/#/b"]\n')],
    ["of the hub's own name", user("core")],
    ["of another's name", user("y") + user("y")],
    ["of a plugin's name", user("p") + plugin("p")],
  ])("%s is left out, the others are not", (_, text) => {
    const { config, faults } = read(user("y") + text.replace(user("y"), ""));
    expect(faults).toHaveLength(1);
    expect(config.mqtt.users.map(({ username }) => username)).toEqual(["y"]);
  });

  test("is never given more than it has: where no account is right nobody logs in, even where the broker can be reached", () => {
    const { config, faults } = read('[mqtt]\nhost = "0.0.0.0"\n[[mqtt.users]]\nusername = "x"\n');
    expect(faults).toHaveLength(1);
    expect(config.mqtt).toMatchObject({ host: "0.0.0.0", users: [], anonymous: false });
    // Without any, that is a slip of who wrote it.
    expect(checkConfig(`${AUTH}[mqtt]\nhost = "0.0.0.0"\n`).config).toBeUndefined();
  });
});

describe("a section", () => {
  test.each([
    ["[battery]\nthreshold_pct = 101\nrecover_band_pct = 7\n", { battery: { threshold_pct: 20, recover_band_pct: 7 } }],
    ["[battery]\ntreshold_pct = 10\n", { battery: { threshold_pct: 20 } }],
    ["[events]\nbuffer = -1\n", { events: { buffer: 1000 } }],
    ["[storage]\nflush_secs = 1e400\n", { storage: { flush_secs: 5 } }],
    ["[log]\nlevel = 'loud'\n", { log: { level: "info" } }],
    [
      "[location]\nlatitude = 99\nlongitude = 13\ntimezone = 'Europe/Berlin'\n",
      { location: { timezone: "Europe/Berlin" } },
    ],
    ["[location]\nlatitude = 52\ntimezone = 'Europe/Berlin'\n", { location: { timezone: "Europe/Berlin" } }],
    ["[location]\nlatitude = 52\nlongitude = 13\ntimezone = 'Mars'\n", { location: { latitude: 52, longitude: 13 } }],
    ["[notify]\nexpire_hours = 0\n", { notify: { expire_hours: 24 } }],
    ["[notify.channels]\nname = 'x'\n", { notify: { channels: [] } }],
    // With a default, samples that somebody wants to keep would be removed.
    ["[history]\nretention_days = '400'\n", { history: { enabled: false } }],
    ["[backup]\nschedule = '0 0 3 * * *'\nnotify_channel = 'x'\n", { backup: { schedule: "0 0 3 * * *" } }],
  ])("is used without what is wrong in it: %j", (text, expected) => {
    const { config, problems } = read(text);
    expect(config).toMatchObject({
      ...expected,
      faults: [{ confined: true, message: expect.stringContaining("; until this is mended, ") }],
    });
    expect(config.location.latitude === undefined).toBe(config.location.longitude === undefined);
    expect(problems).toHaveLength(1);
  });

  test.each(["schedule = 'every night'", "keep = '100'", "pasphrase = 'a long secret'", "directory = 5"])(
    "[backup] with a slip makes no backups: none that is not encrypted, none that pushes others out: %s",
    (wrong) => {
      const more = wrong.startsWith("schedule") ? "" : "schedule = '0 0 3 * * *'\n";
      const { config } = read(`[backup]\n${more}${wrong}\n`);
      expect(config.backup).toEqual(sectionOf(BackupSection));
      expect(config.faults).toMatchObject([{ message: expect.stringContaining("no backups are made by themselves") }]);
    },
  );

  test.each(["battery = 5", "backup = []", "log = 'x'", "history = true", "notify = 1", "location = 2026-01-01"])(
    "may be none at all: %s",
    (text) => {
      const { config } = checkConfig(`${text}\n${AUTH}`);
      expect(config?.faults).toHaveLength(1);
    },
  );
});

describe("who may do what is right, or the hub does not start", () => {
  test.each([
    "[server]\nhots = '127.0.0.1'\n",
    "[server]\nport = 99999\n",
    "[server]\n__proto__ = 1\n",
    "[sever]\nhost = '127.0.0.1'\n",
    "[server]\ntls_cert = 'config/cert.pem'\n",
    "[mqtt]\nport = 0.5\n",
    "[mqtt]\nanonymus = false\n",
    "[mqtt]\nport = 8080\n",
  ])("%j", (text) => {
    const { config, problems } = checkConfig(AUTH + text + plugin("a/b"));
    expect(config).toBeUndefined();
    expect(problems.some(({ confined, line }) => !confined && line !== undefined && line > 2)).toBe(true);
  });

  test("[auth] above all", () => {
    expect(checkConfig("[auth]\njwt_secret = 'short'\n").config).toBeUndefined();
    expect(checkConfig(`${AUTH}whitelist = ["everybody"]\n`).config).toBeUndefined();
  });
});

describe("the file's bytes", () => {
  test("may begin with a byte order mark, and lines keep their numbers", () => {
    const { config, problems } = checkConfig(Buffer.from(`\ufeff${AUTH}[log]\nlevel = 1\n`));
    expect(config).toMatchObject({ server: { port: 8080 } });
    expect(problems).toMatchObject([{ line: 4, path: "log.level" }]);
  });

  test.each([
    ["UTF-16", Buffer.from(`\ufeff${AUTH}`, "utf16le"), 1, "this file is UTF-16"],
    ["Latin-1", Buffer.from(`${AUTH}# Küche\n`, "latin1"), 3, "this file is not UTF-8 from here on"],
    ["NUL", Buffer.from(`${AUTH}\0`), 3, "is not valid TOML"],
    ["ten megabytes", Buffer.from(`${AUTH}# ${"x".repeat(10_000_000)}`), undefined, "is larger than a megabyte"],
    ["brackets", Buffer.from(`${AUTH}x = ${"[".repeat(100_000)}`), 3, "is not valid TOML"],
  ])("that are not text are a problem with its place: %s", (_, bytes, line, says) => {
    const { config, problems } = checkConfig(bytes);
    expect(config).toBeUndefined();
    expect(problems).toEqual([
      { path: "", ...(line !== undefined && { line }), message: expect.stringMatching(new RegExp(`^${says}`)) },
    ]);
  });
});

test("a warning that was found before stays, whatever is cut out", () => {
  const known = [{ path: "log", message: "a warning", warning: true }];
  const table = { auth: { jwt_secret: "x".repeat(40) }, battery: { threshold_pct: 200 }, plugins: [{ id: 5 }] };
  const { problems } = confine(
    {
      server: {},
      location: {},
      mqtt: {},
      notify: {},
      events: {},
      devices: {},
      rules: {},
      storage: {},
      log: {},
      ...table,
    },
    known,
  );
  expect(problems.filter(({ message }) => message === "a warning")).toEqual(known);
  expect(problems.length).toBeGreaterThan(2);
});

describe("a list with one element too many, or a wrong one", () => {
  const calendars = (count: number): string =>
    Array.from({ length: count }, (_, index) => `[[calendars]]\nid = "c${index}"\nfile = "${index}.ics"\n`).join("");
  const channel = (name: string): string =>
    `[[notify.channels]]\nname = "${name}"\ntype = "ntfy"\ntopic = "topic_${name}"\n`;

  test("keeps fifty calendars, and names those behind in one problem", () => {
    const { config, faults, problems } = read(calendars(52));
    expect(config.calendars.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => `c${index}`));
    expect(faults).toEqual(["153: calendars[50] (c50)"]);
    expect(problems.map(({ message }) => message)).toEqual([
      'there are 52 entries, and at most 50 count; the last 2 are left out: "c50", "c51"; until this is mended, the calendar is not read',
    ]);
  });

  test("keeps the other calendars where one is wrong and there are too many as well", () => {
    const wrong = calendars(52).replace('file = "3.ics"', "file = 3");
    const { config, faults } = read(wrong);
    expect(config.calendars.map(({ id }) => id)).not.toContain("c3");
    expect(config.calendars).toHaveLength(49);
    expect(faults).toEqual(["153: calendars[50] (c50)", "14: calendars[3].file (c3)"]);
  });

  test("keeps the other channels of a person", () => {
    const person = '[[people]]\nname = "ann"\nchannels = ["lost", "b", "gone"]\n';
    const { config, faults } = read(channel("a") + channel("b") + person);
    expect(config.people).toMatchObject([{ name: "ann", channels: ["b"] }]);
    expect(faults).toEqual(["13: people[0].channels[0] (ann)", "13: people[0].channels[2] (ann)"]);
  });

  test("sends a person nothing who has no channel left", () => {
    const { config, faults } = read(`${channel("a")}[[people]]\nname = "ann"\nchannels = ["lost"]\n`);
    expect(config.people).toEqual([]);
    expect(faults).toEqual(["9: people[0].channels[0] (ann)", "9: people[0].channels (ann)"]);
  });

  test("keeps the other hosts of pictures, and what else is recorded", () => {
    const { config, faults } = read(
      '[notify]\npicture_hosts = ["a b", "localhost:5000"]\n[history]\ninclude = ["lamp", "", "plug"]\n',
    );
    expect(config.notify.picture_hosts).toEqual(["localhost:5000"]);
    expect(config.history).toMatchObject({ enabled: true, include: ["lamp", "plug"] });
    expect(faults).toEqual(["4: notify.picture_hosts[0]", "6: history.include[1]"]);
  });
});

test("where plugins run, this machine's own address in the whitelist is a warning that says what happens", () => {
  const plugins = '[[plugins]]\nid = "p"\nbinary = "p"\n';
  const warningsOf = (text: string) => checkConfig(text).problems.map(({ path, warning }) => ({ path, warning }));
  for (const own of ["127.0.0.1", "127.0.0.0/8", "::1"])
    expect(warningsOf(`${AUTH}whitelist = ["10.0.0.1", "${own}"]\n${plugins}`)).toEqual([
      { path: "auth.whitelist[1]", warning: true },
    ]);
  expect(warningsOf(`${AUTH}whitelist = ["127.0.0.1"]\n`)).toEqual([]);
  expect(warningsOf(`${AUTH}whitelist = ["10.0.0.1"]\n${plugins}`)).toEqual([]);
});
