// The forms in which a request for a route may be written, and raw sockets to send them. There are hundreds, so each route gets some:
// CAMPAIGN_SCALE times ten, others with another PROPERTY_SEED.
import { connect } from "node:net";
import fc from "fast-check";
import { SEED } from "../../support/campaign.ts";

const EACH = 10 * Number(process.env.CAMPAIGN_SCALE ?? 1);

/** The whole answer to some bytes. The connection ends when the server closes it, or after its answer. */
export function ask(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let answer = "";
    const done = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(20_000, done);
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("error", done);
    socket.on("close", done);
    socket.write(text);
  });
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
    }),
  );
}

const HOSTS: readonly (string | undefined)[] = [
  "localhost",
  "a{b",
  "",
  undefined,
  "x/api/v1/health?",
  "u@localhost",
  "localhost, localhost",
  "localhost:99999",
  "[::1",
  "[::1]:80",
  "h?q",
  "h#f",
  "h\\x",
  "://y",
];
const USABLE = new Set(["localhost", "[::1]:80", undefined]);
export const isUsable = (host: string | undefined): boolean => USABLE.has(host);
export const OPEN = "/api/v1/health";
const TARGETS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `${path}?x=://y${OPEN}`,
  (path) => `${path}?x=://y/api/v1/auth/login`,
  (path) => `${path}#${OPEN}`,
  (path) => `http://other${path}`,
  (path) => `http://other:80${path}?x=://y${OPEN}`,
  (path) => `https://u@other${path}`,
  (path) => `http://other?${OPEN}${path}`,
  (path) => `/${path}`,
  (path) => `//y${path}`,
  (path) => path.replace("/api/v1/", "/api/v1/./"),
  (path) => path.replace("/api/v1/", `${OPEN}/../`),
  (path) => path.replace(/\/([^/]+)$/, "/./$1"),
  (path) => path.replace(/\/([^/]+)$/, "/x/../$1"),
  (path) => path.replace("v1", "%761"),
  (path) => path.replaceAll("/", "\\").replace("\\", "/"),
  (path) => path.toUpperCase(),
  (path) => `${path};${OPEN}`,
  (path) => `${path}%00`,
  () => "*",
  () => "other:80",
];

export function head(method: string, target: string, version: string, host: string | undefined, more = ""): string {
  const hosts = host?.includes(", ") ? host.split(", ") : host === undefined ? [] : [host];
  return `${method} ${target} HTTP/${version}\r\n${hosts.map((one) => `Host: ${one}\r\n`).join("")}Connection: close\r\n${more}\r\n`;
}

export interface Form {
  host: string | undefined;
  /** What is asked for, where the route has this path. */
  target: (path: string) => string;
  version: string;
}

const FORMS: readonly Form[] = HOSTS.flatMap((host) =>
  TARGETS.flatMap((target) => ["1.0", "1.1"].map((version) => ({ host, target, version }))),
);
const PLAIN: Form = { host: "localhost", target: (path) => path, version: "1.1" };

/** Each route with its forms, the plain one among them. Every form is dealt to some route. */
export function deal<T>(routes: readonly T[]): [T, Form][] {
  const all = fc.shuffledSubarray([...FORMS], { minLength: FORMS.length });
  const [shuffled = []] = fc.sample(all, { seed: SEED, numRuns: 1 });
  const each = Math.min(FORMS.length, Math.max(EACH, Math.ceil(FORMS.length / routes.length)));
  return routes.flatMap((route, index) => {
    const dealt = Array.from({ length: each }, (_, turn) => shuffled[(index * each + turn) % shuffled.length] ?? PLAIN);
    return [PLAIN, ...dealt].map((form): [T, Form] => [route, form]);
  });
}
