// The resources of the API: every declared path with its routes by method, and the role each route needs.
import type { AnyElysia } from "elysia";
import type { Keeps } from "../../kit/lifecycle/kept.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { Role } from "../../server/auth/roles.ts";

/** The role a caller needs for a route; none for `public`. */
export type Access = Role | "public";

/** What the `:id` of a route names. */
export type GuestThing = "device" | "scene";

/** What keys can be made for, besides the API. */
export type Scope = "mcp";

export type Answer = Response | Promise<Response>;

export interface Route {
  method: string;
  /** As declared, with its `:parameters`. */
  path: string;
  access: Access;
  /** Open to keys made for this only; undefined for the API. */
  scope: Scope | undefined;
  /** Whether callers without an account are not counted; see `RouteDoc`. */
  unlimited: boolean;
  /** An address that is whitelisted is not enough; see `RouteDoc`. */
  needsToken: boolean;
  /** Its callers choose the keys of the query, and may repeat them. */
  anyQuery: boolean;
  /** It changes something in the hub or in the house: only the hub of the house does it. */
  acts: boolean;
  /** What it changes is kept: see `RouteDoc`. */
  keeps: Keeps;
  /** Guests may pass for the things that were chosen for them, though their role is too low. */
  guests: GuestThing | undefined;
  /** Whether the token may be in the query: browsers cannot send headers with a WebSocket. */
  tokenInQuery: boolean;
  /** Whether the handler reads the body as a stream: it may be larger than others. */
  streamedBody: boolean;
  /** Bytes that its body may have, where it has a limit of its own. */
  maxBody: number | undefined;
  /** Parameters that the literal path stands for; see `parameterisedAt`. */
  given?: Record<string, string>;
  run(context: object): Answer;
}

/** By method. */
export type Resource = ReadonlyMap<string, Route>;

/** By path. `publicPaths` are public though they have no doc(). */
export function resourcesOf(apps: readonly AnyElysia[], publicPaths: readonly string[]): ReadonlyMap<string, Resource> {
  const resources = new Map<string, Map<string, Route>>();
  for (const { method, path: declared, hooks, compile } of apps.flatMap(({ routes }) => routes)) {
    const path = declared.replace(/\/$/, "");
    const detail: Record<string, unknown> = hooks?.detail ?? {};
    const resource = resources.get(path) ?? new Map<string, Route>();
    resources.set(path, resource);
    let compiled: ReturnType<typeof compile> | undefined;
    const acts = (detail["x-acts"] as boolean | undefined) ?? method !== "GET";
    resource.set(method, {
      method,
      path: declared,
      // A route without a doc() is for administrators.
      access: publicPaths.includes(path) ? "public" : ((detail["x-access"] as Access | undefined) ?? "admin"),
      scope: detail["x-scope"] as Scope | undefined,
      unlimited: detail["x-unlimited"] === true,
      needsToken: detail["x-needs-token"] === true,
      // Handlers that check their callers by themselves refuse those first.
      anyQuery: detail["x-any-query"] === true || detail["x-needs"] !== undefined,
      acts,
      keeps: (detail["x-keeps"] as Keeps | undefined) ?? acts,
      guests: detail["x-guests"] as GuestThing | undefined,
      tokenInQuery: detail["x-token-in-query"] === true,
      streamedBody: detail["x-streamed-body"] === true,
      maxBody: detail["x-largest-body"] as number | undefined,
      run(context) {
        compiled ??= compile();
        return compiled(context as never) as Answer;
      },
    });
  }
  const patterns = [...resources]
    .filter(([path]) => path.includes(":"))
    .map(([path, resource]) => ({ names: path.split("/"), resource }));
  for (const [path, resource] of resources) {
    for (const route of parameterisedAt(path, patterns))
      if (!resource.has(route.method)) resource.set(route.method, route);
  }
  return resources;
}

interface Pattern {
  /** Its segments; parameters with their colon. */
  names: readonly string[];
  resource: Resource;
}

/** `/scenes/capture` is also the scene whose id is "capture": the routes of `/scenes/:id`, with that parameter given. */
function parameterisedAt(path: string, patterns: readonly Pattern[]): Route[] {
  if (path.includes(":")) return [];
  const segments = path.split("/");
  return patterns.flatMap(({ names, resource }) => {
    const given = parametersIn(names, segments);
    return given ? [...resource.values()].map((route) => ({ ...route, given })) : [];
  });
}

function parametersIn(names: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (names.length !== segments.length) return undefined;
  if (names.some((name, index) => !name.startsWith(":") && name !== segments[index])) return undefined;
  const given = names.map((name, index): [string, string] => [name.slice(1), segments[index] ?? ""]);
  return Object.fromEntries(given.filter((_, index) => names[index]?.startsWith(":")));
}

/** What Bun finds at a path among such routes, with or without a slash at its end, and the parameters it reads there. */
export function resourceAt(
  resources: ReadonlyMap<string, Resource>,
  path: string,
): { resource: Resource; params: Record<string, string> } | undefined {
  const segments = path.replace(/(?<=.)\/$/, "").split("/");
  let best: { resource: Resource; params: Record<string, string>; rank: string } | undefined;
  for (const [declared, resource] of resources) {
    const names = declared.split("/");
    const params = parametersIn(names, segments);
    // What is literal comes first, from the left.
    const rank = names.map((name) => (name.startsWith(":") ? "1" : "0")).join("");
    if (params && !Object.values(params).includes("") && (!best || rank < best.rank)) best = { resource, params, rank };
  }
  if (!best) return undefined;
  const decoded = Object.entries(best.params).map(([name, text]) => [name, percentDecoded(text)]);
  return { ...best, params: Object.fromEntries(decoded) };
}

/** What is not valid becomes U+FFFD. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+|%/gi, (bytes) =>
    bytes === "%" ? "\ufffd" : Buffer.from(bytes.replaceAll("%", ""), "hex").toString(),
  );
}

/** HEAD runs GET, and Bun omits the body. Throws HubError `method_not_allowed`. */
export function routeFor(resource: Resource, method: string): Route {
  const route = resource.get(method === "HEAD" ? "GET" : method);
  if (route) return route;
  const allow = [...resource.keys()].join(", ");
  throw new HubError("method_not_allowed", `${method} is not possible here, only ${allow}`, { details: { allow } });
}
