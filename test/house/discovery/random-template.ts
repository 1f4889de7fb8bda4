// Random templates, of what devices write and of what attackers would: the same number makes the same template.

const NAMES = [
  "value",
  "value_json",
  "value_json.a.b",
  "value_json.big",
  "value_json.s",
  "value_json['a']",
  "x",
  "ns",
  "ns.l",
];
const HOSTILE = [
  ...["constructor", "__proto__", "prototype", "__class__", "toString", "hasOwnProperty", "this", "states", "process"],
  ...["globalThis", "constructor.constructor", "x.__proto__.y", "value.constructor", "value['__proto__']"],
];
const FILTERS = [
  ...[
    "float",
    "float(0)",
    "int",
    "int(0, 99)",
    "round(400)",
    "round(-3)",
    "string",
    "list",
    "length",
    "tojson",
    "from_json",
  ],
  ...[
    "upper",
    "title",
    "trim",
    "truncate(3)",
    "truncate(-5, true)",
    "unique",
    "sort",
    "sum",
    "max",
    "min",
    "first",
    "last",
  ],
  ...[
    "reverse",
    "join(',')",
    "replace('', value)",
    "map('string')",
    "select",
    "reject('none')",
    "map(attribute='a.b')",
  ],
  ...["default('')", "is_defined", "items", "abs", "multiply(1e300)", "bool", "format(1, 2)", "timestamp_custom('%Y')"],
  ...[
    "as_timestamp",
    "as_timestamp(0)",
    "strptime('%Y-%m-%d', 0)",
    "timestamp_local(none)",
    "constructor",
    "__proto__",
  ],
];
FILTERS.push(
  ...[
    "regex_findall('(a?)*b')",
    "regex_replace('.*', value)",
    "regex_match(value)",
    "regex_search('(x+)+y')",
    "slugify",
  ],
  ...[
    "base64_decode",
    "base64_encode",
    "from_hex",
    "pack('>q')",
    "unpack('>d', -3)",
    "bitwise_and(-1)",
    "median",
    "average",
  ],
  ...[
    "log(0)",
    "sqrt",
    "iif",
    "contains('a')",
    "as_datetime(none)",
    "as_timedelta",
    "as_local",
    "time_since(99)",
    "version",
  ],
  ...[
    "union(value)",
    "flatten",
    "combine({})",
    "batch(3, 1)",
    "slice(4)",
    "groupby('a')",
    "indent(999)",
    "center(1000)",
  ],
  ...["to_json(true, true, true)", "remap(0, 0, 1, 2)", "wrap(0, 0)", "ordinal", "urlencode", "filesizeformat", "md5"],
);
const CALLS = [
  ...[
    "timedelta(days=1e9)",
    "now() + timedelta(1)",
    "now().replace(year=0)",
    "timedelta(1) * 1e99",
    "'{:>999}'.format(1)",
  ],
  ...[
    "'{:.99f}{}'.format(value)",
    "2 ** 4000 * 3",
    "set(value)",
    "today_at('99:99')",
    "urlencode(value)",
    "(9 ** 400) | float",
  ],
  ...["loop(value)", "value[::-1]", "value_json[::0]", "m(1)", "version('1') < value", "now() - utcnow()"],
  ...[
    "range(9999)",
    "range(-1, 1e9)",
    "now()",
    "now().strftime('%H')",
    "dict(a=1)",
    "namespace(l=[])",
    "zip(value, value)",
  ],
  ...["float('nan')", "int('inf', 0)", "min([])", "max(1, 'a')", "list(value)", "str(none)", "utcnow().timestamp()"],
  ...[
    "value.split('')",
    "value.split()",
    "value.replace('x', value)",
    "value.zfill(1e9)",
    "value.count('')",
    "x.get('a')",
  ],
  ...["value_json.keys()", "value_json.items()", "states('a')", "constructor()", "value.constructor('return 1')()"],
];
const LITERALS = [
  ...["0", "-1", "1.5", "1e308", "2.5e-3", "true", "none", "'a'", "''", "'%s %d %1000d'", "'%f'", "[]", "(1, 2)", "{}"],
  ...["{none: 1, 1: 'a', 1.0: 2, true: 3}", "[[1], [1]]"],
];
const OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", ">", "in", "not in", "and", "or"];
const TESTS = ["defined", "none", "not none", "number", "string", "mapping", "even", "constructor", "lower"];

export function randomTemplate(seed: number): string {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
  const one = (list: readonly string[]): string => list[next(list.length)] ?? "";

  function expression(depth: number): string {
    if (depth <= 0) return next(12) === 0 ? one(HOSTILE) : one([...NAMES, ...LITERALS]);
    const inner = (): string => expression(depth - 1 - next(2));
    switch (next(10)) {
      case 0:
        return one(CALLS);
      case 1:
      case 2:
        return `${inner()} | ${one(FILTERS)}`;
      case 3:
        return `(${inner()} ${one(OPERATORS)} ${inner()})`;
      case 4:
        return `(${inner()} if ${inner()} else ${inner()})`;
      case 5:
        return `[${inner()}, ${inner()}]`;
      case 6:
        return `{${inner()}: ${inner()}}`;
      case 7:
        return `(${inner()})[${inner()}]`;
      case 8:
        return `(${inner()} is ${one(TESTS)})`;
      default:
        return `(${inner()})[${inner()}:${inner()}]`;
    }
  }

  function statement(depth: number): string {
    const body = (): string => (depth <= 0 ? `{{ ${expression(2)} }}` : statement(depth - 1));
    switch (next(9)) {
      case 0:
        return `{% for x in ${expression(2)} %}${body()}{% endfor %}`;
      case 1:
        return `{% if ${expression(2)} %}${body()}{% else %}${body()}{% endif %}`;
      case 2:
        return `{% set x = ${expression(3)} %}${body()}`;
      case 3:
        return `{% set ns = namespace(l=${expression(1)}) %}{% for i in range(${next(200)}) %}{% set ns.l = ${one([
          "[ns.l, ns.l]",
          "ns.l ~ ns.l",
          "ns.l + ns.l",
          "{'a': ns.l, 'b': ns.l}",
          "[ns.l]",
          expression(2),
        ])} %}{% endfor %}${body()}`;
      case 4:
        return `{% macro m(a, b=${expression(1)}) %}${body()}{{ m(a) if a }}{% endmacro %}{{ m(${expression(1)}) }}`;
      case 5:
        return `${body()}${one(["{%", "}}", "{{", "{# ", "%}", "'", "((((", "]]"])}${body()}`;
      default:
        return `{{ ${expression(4)} }}`;
    }
  }

  return statement(3);
}
