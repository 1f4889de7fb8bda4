import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isValidId } from "../../../src/kit/schema/ids.ts";
import { isTopicFilter, isTopicName, matchesFilter } from "../../../src/kit/text/topic-filter.ts";
import { createTopicReader, formatTopic, parseTopic, type Topic } from "../../../src/reach/mqtt/topics.ts";

const id = fc.string({ minLength: 1, maxLength: 20 }).filter(isValidId);
const prefix = fc.constantFrom("hub", "house/hub", "h");
const pluginSubtopics = [
  ...(["register", "unregister", "heartbeat", "status", "capabilities", "logs"] as const),
  ...(["manage/cmd", "manage/response"] as const),
];
const deviceSubtopics = ["state", "state/partial", "availability", "schema", "cmd"] as const;
const protocolTopic: fc.Arbitrary<Exclude<Topic, { kind: "other" }>> = fc.oneof(
  fc.record({ kind: fc.constant("plugin" as const), pluginId: id, subtopic: fc.constantFrom(...pluginSubtopics) }),
  fc.record({ kind: fc.constant("request" as const), pluginId: id, request: id }),
  fc.record({ kind: fc.constant("device" as const), deviceId: id, subtopic: fc.constantFrom(...deviceSubtopics) }),
  fc.record({ kind: fc.constant("event" as const), eventType: id }),
);

test("what is formatted is parsed back, and is a topic name", () => {
  fc.assert(
    fc.property(prefix, protocolTopic, (prefix, topic) => {
      const text = formatTopic(prefix, topic);
      expect(isTopicName(text)).toBe(true);
      expect(parseTopic(prefix, text)).toEqual(topic);
      expect(parseTopic("another", text)).toEqual({ kind: "other" });
    }),
  );
});

test("a topic that comes again is read as it was the first time, however many others came between", () => {
  const read = createTopicReader("hub");
  const texts = Array.from({ length: 2500 }, (_, index) => `hub/${index % 3 ? "devices" : "plugins"}/d${index}/state`);
  for (const text of [...texts, "elsewhere", ...texts.toReversed(), `hub/devices/${"long".repeat(60)}/state`])
    for (let times = 0; times < 2; times++) expect(read(text)).toEqual(parseTopic("hub", text));
});

test.each([
  ...["", "hub", "hub/", "hub/devices", "hub/devices/", "hub/devices//state", "hub/devices/a", "hub/devices/a/"],
  ...["hub/devices/a/state/", "hub/devices/a/nonsense", "hub/devices/$a/state", "hub/events", "hub/events/"],
  ...["hub/events/a/b", "hub/plugins/a", "hub/plugins/a/commands/events", "hub/plugins/a/commands/r/events/x"],
  ...["hub/plugins/a/commands//events", "hubs/devices/a/state", "/hub/devices/a/state", "$SYS/x", "hub/others/a/state"],
])("%p is none of the protocol's", (text) => {
  expect(parseTopic("hub", text)).toEqual({ kind: "other" });
});

test.each(["", "a/b", "+", "a#", "$a", "a\nb", "a\0", "\u007f", "x".repeat(256)])("%p is no id", (text) => {
  expect(isValidId(text)).toBe(false);
});

test.each(["a", "a b", "Küche", "a$b", "zigbee2mqtt_0x00158d", "x".repeat(255)])("%p is an id", (text) => {
  expect(isValidId(text)).toBe(true);
});

describe("filters", () => {
  test.each(["#", "+", "a/#", "+/b/+", "a//b", "/", "$SYS/#", "a/+/#"])("%p is one", (filter) => {
    expect(isTopicFilter(filter)).toBe(true);
  });

  test.each(["", "a#", "#/a", "a/#/b", "a+", "+a/b", "a/b+/c", "a\0"])("%p is none", (filter) => {
    expect(isTopicFilter(filter)).toBe(false);
  });

  // The examples of the MQTT specification, section 4.7.
  test.each([
    ["sport/tennis/#", "sport/tennis", true],
    ["sport/tennis/#", "sport/tennis/player1/ranking", true],
    ["sport/+", "sport", false],
    ["sport/+", "sport/", true],
    ["+/+", "/finance", true],
    ["/+", "/finance", true],
    ["+", "/finance", false],
    ["sport/+/player1", "sport/tennis/player1", true],
    ["sport/tennis/+", "sport/tennis/player1/ranking", false],
    ["#", "$SYS/x", false],
    ["+/x", "$SYS/x", false],
    ["$SYS/#", "$SYS/x", true],
    ["a/b", "a/b", true],
    ["a/b", "A/b", false],
  ])("%p against %p: %p", (filter, topic, matches) => {
    expect(matchesFilter(filter, topic)).toBe(matches);
  });

  const level = fc.stringMatching(/^[a-c]{0,2}$/);
  const levels = fc.array(level, { minLength: 1, maxLength: 5 }).filter((parts) => parts.join("/") !== "");

  test("a topic matches itself, with any level replaced by +, and with any tail replaced by #", () => {
    fc.assert(
      fc.property(levels, fc.nat(4), (parts, at) => {
        const topic = parts.join("/");
        const index = at % parts.length;
        expect(matchesFilter(topic, topic)).toBe(true);
        expect(matchesFilter(parts.with(index, "+").join("/"), topic)).toBe(true);
        expect(matchesFilter([...parts.slice(0, index), "#"].join("/"), topic)).toBe(true);
        expect(matchesFilter(parts.with(index, "other").join("/"), topic)).toBe(false);
      }),
    );
  });

  test("agrees with a regular expression made from the filter", () => {
    const filterLevel = fc.oneof(level, fc.constant("+"));
    fc.assert(
      fc.property(fc.array(filterLevel, { minLength: 1, maxLength: 4 }), fc.boolean(), levels, (some, rest, parts) => {
        const filter = [...some, ...(rest ? ["#"] : [])].join("/");
        fc.pre(filter !== "");
        const pattern = some.map((one) => (one === "+" ? "[^/]*" : one)).join("/");
        const expected = new RegExp(`^${pattern}${rest ? "(/.*)?" : ""}$`).test(parts.join("/"));
        expect(matchesFilter(filter, parts.join("/"))).toBe(expected);
      }),
    );
  });
});
