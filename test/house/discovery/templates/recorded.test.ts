// What Home Assistant 2025.12.5 itself makes of templates, of the messages of real publishers: recorded by cases.py and record.py.
import { describe, expect, test } from "bun:test";
import { createTemplateEngine, TemplateError } from "../../../../src/house/discovery/templates/template.ts";
import type { Json } from "../../../../src/kit/schema/json.ts";

interface Case {
  t: string;
  v: string;
  want: string | null;
}

const NOW = Date.UTC(2026, 0, 15, 12, 30, 5);
const engine = createTemplateEngine(() => ({ at: NOW, offsetMs: () => 3_600_000 }));
const lines = (await Bun.file(`${import.meta.dir}/recorded.jsonl`).text()).split("\n").filter((line) => line !== "");
const cases = lines.map((line) => JSON.parse(line) as Case);

function read({ t, v }: Case): string | null {
  let json: Json | undefined;
  try {
    json = JSON.parse(v) as Json;
  } catch {
    // As a message that is no JSON.
  }
  try {
    // Something before it, or a plain pick would keep its JSON type.
    return (engine.compile(`{{ '' }}${t}`).read({ text: v, json }) as string).trim();
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}

// There `value_json.update` is the method of dicts, and refused; here a key of the message is that key. Zigbee2MQTT writes
// `value_json['update']` for this, which is right in both.
const isMethodThere = ({ t }: Case): boolean => t.includes("value_json.update");

describe("as Home Assistant has it", () => {
  test.each(cases.filter((one) => !isMethodThere(one)).map((one) => [one.t, one] as const))("%s", (_template, one) =>
    expect(read(one)).toBe(one.want),
  );
});

test("a key of the message is that key, also where dicts have a method of its name", () => {
  const v = '{"update":{"state":"idle"},"items":3}';
  expect(read({ t: "{{ value_json.update.state }}", v, want: null })).toBe("idle");
  expect(read({ t: "{{ value_json.items + 1 }}", v, want: null })).toBe("4");
});
