// Templates that would take a hub with them: each ends soon, with a text of bounded length or with what is wrong.
import { expect, test } from "bun:test";
import { createTemplateEngine, TemplateError } from "../../../../src/house/discovery/templates/template.ts";
import type { Json } from "../../../../src/kit/schema/json.ts";

const engine = createTemplateEngine(() => ({ at: Date.UTC(2026, 0, 15), offsetMs: () => 3_600_000 }));
const MAX_MS = 1000;
const LONG = JSON.stringify({
  a: "a".repeat(20_000),
  at: "@a.".repeat(6000),
  words: "a-b ".repeat(5000),
  list: Array.from({ length: 3000 }, (_, at) => at % 7),
});

const HOSTILE: Readonly<Record<string, string>> = {
  "a macro that calls itself": "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
  "macros that call each other by call blocks":
    "{% macro a() %}{% call b() %}x{% endcall %}{% endmacro %}{% macro b() %}{{ caller() }}{{ a() }}{% endmacro %}{{ a() }}",
  "a macro that doubles at each depth":
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}x{% endmacro %}{{ f(19) }}",
  "a default of a parameter that calls its macro": "{% macro f(n, m=f(n)) %}{{ m }}{% endmacro %}{{ f(1) }}",
  "a loop that calls itself": "{% for x in [1] recursive %}{{ loop([x]) }}{% endfor %}",
  "loops within loops":
    "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}",
  "a range without end": "{{ range(10 ** 18) | list | length }}{{ range(0, 1, 0.0000001) | length }}",
  "a power of powers": "{{ 9 ** 9 ** 9 }}",
  "a number of a million digits":
    "{% set ns = namespace(x=7) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}",
  "a text that doubles":
    "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
  "a list that doubles":
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x | length }}",
  "a pattern that backtracks": "{{ value_json.a is match('(a+)+$b') }}{{ value_json.a | regex_findall('(a|a)*b') }}",
  "a pattern of many stars": "{{ value_json.a[:5000] | regex_replace('.*.*.*.*.*.*=', 'x') }}",
  "a replacement that grows":
    "{{ value_json.a | regex_replace('a', 'b' * 1000) }}{{ value_json.a | replace('a', 'b' * 1000) }}",
  "addresses everywhere": "{{ value_json.at | urlize }}{{ (value_json.at | replace('.', ' ')) | urlize }}",
  "text in lines of one": "{{ value_json.words | wordwrap(1, true, 'x' * 1000) }}",
  "wide formats": "{{ '%99999999d' | format(1) }}{{ '{:>99999999}'.format(1) }}{{ 'x' | center(10 ** 9) }}",
  "many digits": "{{ '%.99999f' | format(1) }}{{ 1 | round(10 ** 300) }}",
  "sorting lists of lists": "{{ [value_json.list, value_json.list] | map('sort') | map('unique') | sort | length }}",
  "JSON as deep as it is long": "{{ ('[' * 30000) | from_json }}{{ ('[' * 900 ~ ']' * 900) | from_json }}",
  "a dict of everything as attributes": "{% for i in range(5000) %}{{ value_json | xmlattr }}{% endfor %}",
  "a thousand brackets": "{{ ".concat("(".repeat(1000), "1", ")".repeat(1000), " }}"),
  "bytes of a gigabyte": "{{ pack(1, '>999999999I') }}{{ ('a' * 10 ** 9) | base64_encode }}",
  "an argument for each item": "{{ value_json.list | map('apply', cycler) | list | length }}",
};

function read(template: string): string {
  const json = JSON.parse(LONG) as Json;
  try {
    return String(engine.compile(template).read({ text: LONG, json }) ?? "");
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

test.each(Object.entries(HOSTILE))("%s", (_what, template) => {
  const before = process.cpuUsage();
  const text = read(template);
  const { user, system } = process.cpuUsage(before);
  expect(text.length).toBeLessThanOrEqual(65_536);
  expect((user + system) / 1000).toBeLessThan(MAX_MS);
});

test.each([
  ["{{ value | lipsum_de }}", 'the filter "lipsum_de" is not supported'],
  ["{{ is_state('sun.sun', 'up') }}", "the function is_state() is not supported"],
  ["{{ value is is_device }}", 'the test "is_device" is not supported'],
  ["{{ value.mro() }}", ".mro() is not supported"],
  ["{{ states.sun.sun.state }}", '"states" is not supported: it is of Home Assistant itself'],
])("what is not there says its name: %s", (template, problem) => {
  expect(() => engine.compile(template)).toThrow(problem);
});
