// Requests for the HTTP fuzzer: every route of the document, asked rightly, wrongly, and by callers of each kind.
import type { DocumentedRoute } from "../../support/documented.ts";
import type { Schema } from "../../support/json-schema.ts";
import type { Random } from "../../support/random.ts";
import { mutated } from "./mutate.ts";

export type Caller = "nobody" | "viewer" | "admin";

export interface FuzzRequest {
  bytes: Buffer;
  caller: Caller;
  /** `plain`: as the document has it, values apart; `odd`: target, Host, version, method or framing; `noise`: bytes. */
  kind: "plain" | "odd" | "noise";
  /** What a plain request is for. */
  route: DocumentedRoute;
  /** Whether a whole request is in it, so that silence would be a hang. */
  whole: boolean;
}

export interface HttpFuzzOptions {
  routes: readonly DocumentedRoute[];
  resolve: (ref: string) => Schema;
  tokens: () => Record<Exclude<Caller, "nobody">, string>;
}

const NAMES = [
  ..."nobody lamp_1 lamp_2 timer_1 area_1 scene_1 mode_night rule_1 log all sysmon 0 -1 %20 %2e%2e .. . %00 %zz % %2F".split(
    " ",
  ),
  ..."%2e%2e%2fauth%2fusers %c3%28 %ff %F0%9F%8F%A0 a%0d%0ab __proto__ constructor :id {id} * $x # + ; a;b=c".split(
    " ",
  ),
  "x".repeat(255),
  "x".repeat(300),
  "%41".repeat(500),
];
const TEXTS = [
  "",
  " ",
  "x",
  "on",
  "ä",
  "🏠",
  "\u0000",
  "\ud800",
  "<b>",
  "../../x",
  "a".repeat(200),
  "a".repeat(201),
  "1e400",
];
const NUMBERS = [0, 1, -1, 0.5, 1e9, -1e9, 2 ** 31, 2 ** 53, 1e308, -0];
const PUBLIC_ENDS = ["/api/v1/health", "/api/v1/auth/login", "/api/v1/openapi.json", "/api/v1/webhooks/x"];
const HOSTS: readonly (readonly string[])[] = [
  [],
  [""],
  [" "],
  ["a{b"],
  ["a b"],
  ["evil.example"],
  ["localhost:99999"],
  ["[::1"],
  ["[::1]:80"],
  ["127.0.0.1", "evil"],
  ["a/b"],
  ["a@b"],
  ["a#b"],
  ["a?b"],
  ["://y/api/v1/health"],
  ["x".repeat(5000)],
  ["\u00e4"],
  ["127.0.0.1:0"],
  ["-"],
  ["%00"],
];
const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "get",
  "PATCHX",
  "G",
  "PROPFIND",
  "QUERY",
];
const VERSIONS = [
  "HTTP/1.0",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/1.2",
  "http/1.1",
  "HTTP/1.1 ",
  "HTTP/1",
  "",
];
const BAD_TOKENS = [
  "Bearer",
  "Bearer ",
  "Bearer x",
  "Basic YWRtaW46YWRtaW4=",
  "Bearer hub_0000000000000000000000000000000000000000000",
  "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiIsInJvbGUiOiJhZG1pbiIsImV4cCI6OTk5OTk5OTk5OX0.",
  "bearer  x y",
  "Bearer ..",
];
const ODD_HEADERS = [
  "X-Forwarded-For: 127.0.0.1",
  "Forwarded: for=127.0.0.1",
  "X-Real-IP: 127.0.0.1",
  "X-HTTP-Method-Override: DELETE",
  "X-Original-URL: /api/v1/auth/users",
  "Origin: http://evil.example",
  "Origin: null",
  "Sec-Fetch-Site: cross-site",
  "Expect: 100-continue",
  "Upgrade: websocket",
  "Upgrade: h2c",
  "Connection: upgrade",
  "Connection: keep-alive, close",
  "Range: bytes=0-1",
  "If-Match: *",
  "Accept: text/csv",
  "Accept: */*;q=nan",
  `X-Long: ${"x".repeat(20_000)}`,
  "X-Null: a\u0000b",
  " folded: x",
  "No-Colon",
  ": empty",
  "Cookie: a=b",
  "X-Backup-Passphrase: x",
  "Transfer-Encoding: identity",
  "Content-Encoding: gzip",
  "TE: trailers",
];

export function createHttpFuzz(random: Random, { routes, resolve, tokens }: HttpFuzzOptions) {
  const callers: readonly Caller[] = ["nobody", "nobody", "viewer", "admin"];
  // Reading the whole home, or hashing a password, takes long and says little after the hundredth time.
  const rare = /backup$|login$|restore$|\/users/;

  function routeToAsk(): DocumentedRoute {
    for (;;) {
      const route = random.pick(routes);
      if (!rare.test(route.path) || random.chance(0.15)) return route;
    }
  }

  function target({ path, operation }: DocumentedRoute): string {
    const filled = path.replace(/\{\w+\}/g, () => random.pick(NAMES));
    const query = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === "query" && random.chance(0.4))
      .map(({ name, schema }) => `${name}=${encodeText(String(value(schema)))}`);
    if (random.chance(0.05)) query.push(`${random.pick(NAMES)}=${random.pick(NAMES)}`);
    return query.length > 0 ? `${filled}?${query.join("&")}` : filled;
  }

  function value(schema: Schema, depth = 0): unknown {
    if (depth > 6 || random.chance(0.08)) return random.pick<unknown>([null, true, [], {}, ...TEXTS, ...NUMBERS]);
    if (schema.$ref) return value(resolve(schema.$ref), depth + 1);
    const branches = schema.anyOf ?? schema.oneOf;
    if (branches) return value(random.pick(branches), depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    switch ([schema.type].flat()[0]) {
      case "object":
        return object(schema, depth);
      case "array":
        return Array.from({ length: random.below(4) }, () => value(schema.items ?? {}, depth + 1));
      case "integer":
      case "number":
        return random.pick([schema.minimum ?? 0, schema.maximum ?? 1, ...NUMBERS]);
      case "boolean":
        return random.chance(0.5);
      case "null":
        return null;
      default:
        return random.pick([
          ...TEXTS,
          "2026-01-01",
          "1h",
          "lamp_1",
          "a".repeat(Math.min(schema.maxLength ?? 3, 2000) + 1),
        ]);
    }
  }

  function object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): object {
    const wanted = Object.entries(properties).filter(([key]) => required.includes(key) || random.chance(0.4));
    const own: [string, unknown][] = wanted.map(([key, inner]) => [key, value(inner, depth + 1)]);
    if (typeof additionalProperties === "object" && random.chance(0.8))
      own.push([random.pick(["lamp_1", "on", "level", "__proto__", ""]), value(additionalProperties, depth + 1)]);
    if (random.chance(0.05)) own.push([random.pick(["__proto__", "constructor", "unknown", ""]), 1]);
    return Object.fromEntries(own);
  }

  function body({ operation }: DocumentedRoute): { type: string; text: string } | undefined {
    const [[type, content] = ["application/json", { schema: {} }]] = Object.entries(
      operation.requestBody?.content ?? {},
    );
    if (!operation.requestBody && random.chance(0.9)) return undefined;
    const json = JSON.stringify(value(content.schema)) ?? "null";
    const text = random.pick([
      json,
      json,
      json,
      json,
      json.slice(0, random.below(json.length + 1)),
      `${json}x`,
      "",
      "null",
      "[]",
      '{"a":1e999}',
      `${"[".repeat(5000)}${"]".repeat(5000)}`,
      `{"x":"${"y".repeat(70_000)}"}`,
      '{"__proto__":{"role":"admin"}}',
      '{"name":"\\ud800"}',
    ]);
    const types = [
      type,
      type,
      type,
      type,
      "application/json; charset=utf-16",
      "text/plain",
      "multipart/form-data; boundary=x",
      "",
    ];
    return { type: random.pick(types).replace("*/*", "application/json"), text };
  }

  function oddTarget(plain: string): string {
    const [path = "", query = ""] = plain.split("?");
    const end = random.pick(PUBLIC_ENDS);
    // An address within an address: whoever looks for "://" or a slash by himself may take the wrong one.
    if (random.chance(0.3))
      return `${path}?${random.pick(["", "x=", "a=b&x=", query])}${random.pick(["://y", "http://y", "//y", "y"])}${end}`;
    return random.pick([
      `${path}?x=://y${end}`,
      `${path}?${query}&u=http://h${end}`,
      `http://h${path}`,
      `http://h:1${path}?x=://y${end}`,
      `https://[::1]${plain}`,
      `//h${path}`,
      `/${plain}`,
      `${end}/..${path.slice(7)}`,
      `${end}/../../..${path}`,
      `${end}%2f..%2f..${path}`,
      `${path}/`,
      `${path}//`,
      `${path};a=b`,
      `${path}%00`,
      `${path}#${end}`,
      `${path}?#${end}`,
      path.toUpperCase(),
      path.replaceAll("/", "%2f"),
      path.replaceAll("/", "\\"),
      path.replace("/api", "/API"),
      path.replace("/v1/", "/v1//"),
      path.replace("/v1/", "/./v1/"),
      `*${path}`,
      "*",
      "127.0.0.1:80",
      "",
      " ",
      "?",
      "/",
      path.slice(1),
      `${path} ${end}`,
      `${path}\t`,
      `${path}?${"a=b&".repeat(4000)}`,
      `http:/${path}`,
      `http://${path}`,
      `http://u:p@h${path}`,
      `/api/v1/../..${path}`,
      path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      `${path}?token=x`,
      `ws://h${path}`,
    ]);
  }

  function authorization(caller: Caller): string[] {
    if (caller !== "nobody") return [`Authorization: Bearer ${tokens()[caller]}`];
    return random.chance(0.5) ? [] : [`Authorization: ${random.pick(BAD_TOKENS)}`];
  }

  function framing(text: string): { headers: string[]; payload: string; whole: boolean } {
    const length = Buffer.byteLength(text);
    const chunks = `${length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    return random.pick([
      { headers: [`Content-Length: ${length}`], payload: text, whole: true },
      { headers: [`Content-Length: ${length + 10}`], payload: text, whole: false },
      { headers: [`Content-Length: ${Math.max(0, length - 3)}`], payload: text, whole: true },
      { headers: ["Content-Length: -1"], payload: text, whole: false },
      { headers: [`Content-Length: ${length}`, `Content-Length: ${length + 1}`], payload: text, whole: false },
      { headers: ["Transfer-Encoding: chunked"], payload: chunks, whole: true },
      { headers: [`Content-Length: ${length}`, "Transfer-Encoding: chunked"], payload: chunks, whole: false },
      { headers: ["Transfer-Encoding: chunked"], payload: "zz\r\n", whole: false },
      { headers: ["Content-Length: 99999999999999999999"], payload: text, whole: false },
      { headers: [`Content-Length: 0x${length.toString(16)}`], payload: text, whole: false },
      { headers: ["Content-Length: 0"], payload: "GET /api/v1/auth/users HTTP/1.1\r\nHost: x\r\n\r\n", whole: true },
      { headers: [], payload: text, whole: true },
    ]);
  }

  function assemble(method: string, address: string, version: string, headers: string[], payload: string): Buffer {
    const line = version === "" ? `${method} ${address}` : `${method} ${address} ${version}`;
    return Buffer.concat([Buffer.from(`${[line, ...headers].join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(payload)]);
  }

  function plain(route: DocumentedRoute, caller: Caller): FuzzRequest {
    const sent = route.method === "GET" ? undefined : body(route);
    const headers = ["Host: 127.0.0.1", ...authorization(caller)];
    if (sent) {
      if (sent.type !== "") headers.push(`Content-Type: ${sent.type}`);
      headers.push(`Content-Length: ${Buffer.byteLength(sent.text)}`);
    }
    const bytes = assemble(route.method, target(route), "HTTP/1.1", headers, sent?.text ?? "");
    return { bytes, caller, kind: "plain", route, whole: true };
  }

  function odd(route: DocumentedRoute, caller: Caller): FuzzRequest {
    const sent = route.method === "GET" ? undefined : body(route);
    const method = random.chance(0.25) ? random.pick(METHODS) : route.method;
    const version = random.chance(0.4) ? random.pick(VERSIONS) : "HTTP/1.1";
    const address = random.chance(0.7) ? oddTarget(target(route)) : target(route);
    const hosts = random.chance(0.6) ? random.pick(HOSTS) : ["127.0.0.1"];
    const {
      headers: framed,
      payload,
      whole,
    } = sent ? framing(sent.text) : { headers: [] as string[], payload: "", whole: true };
    const odds = random.chance(0.4) ? [random.pick(ODD_HEADERS), random.pick(ODD_HEADERS)] : [];
    const headers = [
      ...hosts.map((host) => `Host: ${host}`),
      ...authorization(caller),
      ...(sent?.type ? [`Content-Type: ${sent.type}`] : []),
      ...framed,
      ...odds,
    ];
    // An upgrade stays open, a request that expects a word first waits for it.
    const waits = odds.some((header) => /^(Expect|Transfer|Upgrade|Connection|No-|:| )/.test(header));
    return {
      bytes: assemble(method, address, version, headers, payload),
      caller,
      kind: "odd",
      route,
      whole: whole && !waits,
    };
  }

  return function next(): FuzzRequest {
    const route = routeToAsk();
    const caller = random.pick(callers);
    const roll = random.next();
    if (roll < 0.4) return plain(route, caller);
    if (roll < 0.85) return odd(route, caller);
    const source = random.chance(0.5) ? plain(route, caller) : odd(route, caller);
    return { ...source, bytes: mutated(random, source.bytes), kind: "noise", whole: false };
  };
}

// Only what would end the target early is encoded: the rest is to arrive as it is.
function encodeText(text: string): string {
  const bytes = [...Buffer.from(text)];
  const isPlain = (byte: number): boolean => byte > 0x20 && byte < 0x7f && byte !== 0x23 && byte !== 0x26;
  return bytes
    .map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`))
    .join("");
}
