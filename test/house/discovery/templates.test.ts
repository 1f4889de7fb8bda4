import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createTemplateEngine, TemplateError } from "../../../src/house/discovery/templates/template.ts";
import type { Json } from "../../../src/kit/schema/json.ts";
import { examples } from "../../support/examples.ts";
import { randomTemplate } from "./random-template.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 30, 5);
const engine = createTemplateEngine(() => ({ at: NOW, offsetMs: () => 3_600_000 }));
const write = (text: string, values: Record<string, Json> = {}) => engine.compile(text).write(values);
const read = (text: string, message: string) => {
  let json: Json | undefined;
  try {
    json = JSON.parse(message) as Json;
  } catch {
    // As a message that is no JSON.
  }
  return engine.compile(text).read({ text: message, json });
};

test("a plain pick keeps the JSON type, and is undefined where the message has no such value", () => {
  const message = '{"a":{"b":21.5,"c d":[1],"e":true},"n":null}';
  expect(read("{{ value_json.a.b }}", message)).toBe(21.5);
  expect(read('{{ value_json["a"]["c d"] }}', message)).toEqual([1]);
  expect(read("{{ value_json.a.e }}", message)).toBe(true);
  expect(read("{{ value_json.n }}", message)).toBeNull();
  expect(read("{{ value_json.missing }}", message)).toBeUndefined();
  expect(read("{{ value_json.missing.more }}", message)).toBeUndefined();
  // What only fits a value into 255 characters picks it as well.
  expect(read("{{ value_json.a | default('',True) | string | truncate(254, True, '', 0) }}", message)).toEqual({
    ...{ b: 21.5, "c d": [1], e: true },
  });
});

describe("everything else makes a text, as Python prints it", () => {
  test.each<[string, Record<string, Json>, string]>([
    ["{{ true }} {{ none }} {{ 3 / 2 }} {{ 4 / 2 }} {{ 7 // 2 }}", {}, "True None 1.5 2.0 3"],
    ["{{ [1, 'a', none] }} {{ {'k': 1.5} }} {{ (1, 2) }}", {}, "[1, 'a', None] {'k': 1.5} (1, 2)"],
    ["{{ x | float }} {{ x | int }} {{ x | float * 2 }}", { x: "21" }, "21.0 21 42.0"],
    ["{{ x | round(1) }} {{ 2.5 | round }} {{ 3.5 | round }}", { x: 21.46 }, "21.5 2 4"],
    ["{% if x > 0.02 -%} on {%- else -%} off {%- endif %}", { x: 1 }, "on"],
    ["{% for a in x if a != 2 %}{{ loop.index }}:{{ a }} {% endfor %}", { x: [1, 2, 3] }, "1:1 2:3"],
    ["{% set m = {0:'off', 1:'low'} %}{{ m[x] | default('?') }}", { x: 1 }, "low"],
    ["{% set m = {None:None,'idle':'idle'} %}{{ m[x] }}", { x: null }, "None"],
    ["{{ x.get('y', 'no') }} {{ 'k' in x }} {{ x.keys() | list }}", { x: { k: 1 } }, "no True ['k']"],
    ["{{ x | tojson }}", { x: { a: [1, 2.5, null] } }, '{"a": [1, 2.5, null]}'],
    ["{{ 'A b'.lower().split() | join('-') }} {{ 'x' ~ 1 }}", {}, "a-b x1"],
    [
      "{% set ns = namespace(n=0) %}{% for a in x %}{% set ns.n = ns.n + a %}{% endfor %}{{ ns.n }}",
      { x: [1, 2] },
      "3",
    ],
    ["{{ now().strftime('%H:%M') }}", {}, "13:30"],
    [
      "{{ '%.1f' | format(x) }} {{ '%0.2f' % x }} {{ '%03d|%-4s|%x' % (7, 'ab', 255) }}",
      { x: 21.46 },
      "21.5 21.46 007|ab  |ff",
    ],
    ["{{ '%(a)s is %(b)d%%' % x }}", { x: { a: "it", b: 5 } }, "it is 5%"],
    ["{{ 1e3 }} {{ 2.5e-3 + 1 }} {{ x * 1E2 }}", { x: 2 }, "1000.0 1.0025 200.0"],
    [
      "{{ x | timestamp_custom('%Y-%m-%d %H:%M') }} {{ x | timestamp_custom('%H', false) }}",
      { x: 0 },
      "1970-01-01 01:00 00",
    ],
    ["{{ as_timestamp('1970-01-02T00:00:00Z') | int }} {{ '1970-01-02 01:00' | as_timestamp }}", {}, "86400 86400.0"],
    ["{{ strptime(x, '%d.%m.%Y %H:%M').isoformat() }}", { x: "05.02.2026 07:08" }, "2026-02-05T07:08:00"],
    ["{{ strptime('no', '%Y', 'never') }} {{ as_timestamp('no', 0) }}", {}, "never 0"],
    ["{{ now().hour }} {{ now().timestamp() | int }} {{ utcnow().strftime('%H') }}", {}, "13 1768480205 12"],
    [
      "{% for a in x %}{{ loop.index if loop.index > 1 else 'first' }}{{ ',' if not loop.last }}{% endfor %}",
      { x: [1, 2] },
      "first,2",
    ],
    ["{{ x.0 }} {{ x[-1] }} {{ {1.0: 'a'}[1] }}", { x: [7, 8] }, "7 8 a"],
    ["{{ x | selectattr('on') | map(attribute='id') | list }}", { x: [{ id: 1, on: true }, { id: 2 }] }, "[1]"],
  ])("%s", (text, values, wanted) => {
    expect(write(text, values)).toBe(wanted);
  });

  test("21.0 stays 21.0", () => {
    expect(read("{{ value_json.t }} °C", '{"t":21.0}')).toBe("21.0 °C");
    expect(read("{{ value_json.t | float }}", '{"t":21}')).toBe("21.0");
  });
});

describe("nothing of the program can be reached", () => {
  test.each([
    "{{ x.constructor }}",
    "{{ ''.constructor('return process')() }}",
    "{{ x.__proto__ }}",
    "{{ x['__proto__']['polluted'] }}",
    "{{ ''.__class__.__mro__ }}",
    "{{ value_json.toString }}",
    "{{ cycler.__init__.__globals__ }}",
    "{{ x.hasOwnProperty('a') }}",
    "{% set x.__proto__ = 1 %}",
    "{{ globalThis }}{{ process }}{{ self }}",
  ])("%s", (text) => {
    let made = "";
    try {
      made = write(text, { x: { a: 1 } });
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
    }
    expect(made).not.toContain("function");
    expect(made).not.toContain("[object");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("no template runs or grows without end", () => {
  test.each([
    "{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}x{% endfor %}{% endfor %}{% endfor %}",
    "{{ range(10 ** 9) | list }}",
    "{% set ns = namespace(t='xxxxxxxx') %}{% for a in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}",
    "{{ 'a' * 10 ** 9 }}",
    "{{ x.replace('', x).replace('', x).replace('', x) }}",
    "{% set ns = namespace(l=[1]) %}{% for a in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}{{ ns.l }}",
    `{{ ${"(".repeat(200)}1${")".repeat(200)} + ${"[".repeat(60)}1${"]".repeat(60)} }}`,
    `{{ "${"y".repeat(20_000)}" }}`,
    // A tree that shares its branches: small to hold, endless to walk.
    "{% set ns = namespace(l=1) %}{% for a in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
    "{{ range(10000) | map('string') | unique | map('int') | unique | length }}",
    "{{ '%999999999d' % 1 }}",
    "{{ zip(x ~ x ~ x, x) }}",
    "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
    "{% macro f(n) %}{% for a in range(9) %}{{ f(n + 1) if n < 9 }}{% endfor %}{% endmacro %}{{ f(0) }}",
    "{{ x | regex_search('(z+)+y') }}",
    "{{ x | regex_replace('(z|z)*y', '') }}",
    "{{ x | regex_findall('(z?){1000}(z{1000}){1000}y') }}",
    "{{ (x ~ '!') | regex_match('(.*)*!!') }}",
    "{{ 2 ** 99999 }}",
    "{{ x | regex_replace('', x) }}",
  ])("%#", (text) => {
    const begun = performance.now();
    expect(() => write(text, { x: "z".repeat(5000) })).toThrow(TemplateError);
    // Bounded by steps; the time only shows that it is no endless loop.
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  test.each([...["(", "[", "{{", "{%", "a.", "a|", "a[", "not ", "-", "'", "{% if a %}", "{# ", "\\", "1e", "a if "]])(
    "a template full of %j is refused at once",
    (part) => {
      const cpu = process.cpuUsage();
      for (const text of [`{{ ${part.repeat(16_000 / part.length)}`, part.repeat(16_000 / part.length)]) {
        try {
          engine.compile(text);
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      }
      expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(10_000);
    },
  );

  test("random templates throw nothing else, and reach nothing of the program", () => {
    const messages = ['{"a":{"b":21.5,"c":[1,2]},"s":"text","n":null}', "plain", `{"k":"${"y".repeat(30_000)}"}`];
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...messages), (seed, message) => {
        const cpu = process.cpuUsage();
        let made: Json | undefined;
        try {
          made = read(randomTemplate(seed), message);
        } catch (error) {
          if (!(error instanceof TemplateError)) throw error;
        }
        expect(JSON.stringify(made) ?? "").not.toMatch(/function|\[object|native code/);
        expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(3000);
      }),
      { numRuns: examples(3000) },
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("what is not supported is refused by name, before any message comes", () => {
  test.each([
    ["{{ states('sensor.x') }}", "states()"],
    ["{{ is_state('a', 'b') }}", "is_state()"],
    ["{{ states.sensor.x.state }}", '"states"'],
    ["{{ x is matching }}", "matching"],
    ["{{ x.format_map() }}", "format_map"],
    ["{{ x | random }}", "random"],
    ["{% include 'a' %}", "include"],
    ["{{ unclosed", "cannot be read"],
  ])("%s", (text, named) => {
    expect(() => engine.compile(text)).toThrow(named);
  });
});

test("a value that is missing is an error, so that what was known stays", () => {
  expect(() => read("{{ value_json.a | is_defined }}!", "{}")).toThrow(TemplateError);
  expect(() => read("{{ value_json.a.b | float }}", "{}")).toThrow(TemplateError);
  expect(() => read("{{ value_json.a | float }}", '{"a":"x"}')).toThrow(TemplateError);
  expect(read("{{ value_json.a | float(0) }}", '{"a":"x"}')).toBe("0");
});
