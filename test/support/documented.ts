// What tests see the hub answer against what its OpenAPI document says: every status, and the shape of every JSON body. A
// test need not know of it: whoever asks through a TestHub is checked when that hub ends.
import { problemsOf, type Schema } from "./json-schema.ts";

export interface Answer {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema?: Schema }>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

export interface Operation {
  summary?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer | { $ref: string }>;
  security?: Record<string, string[]>[];
  "x-access": "admin" | "user" | "viewer" | "public" | "key";
  "x-frames"?: Schema;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
}

export interface DocumentedRoute {
  /** `GET /api/v1/devices/{id}` */
  name: string;
  method: string;
  path: string;
  operation: Operation;
}

export interface Documented {
  readonly document: ApiDocument;
  readonly routes: readonly DocumentedRoute[];
  /** The route a request belongs to: fixed words before names, as routers have it. */
  routeOf(method: string, path: string): DocumentedRoute | undefined;
  answerOf(route: DocumentedRoute, status: number): Answer | undefined;
  schemaProblems(schema: Schema, value: unknown): string[];
}

function readDocument(document: ApiDocument): Documented {
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const matchers = routes
    .map((route) => ({
      route,
      names: route.path.split("{").length,
      pattern: new RegExp(`^${route.path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`),
    }))
    .sort((a, b) => a.names - b.names);
  const resolve = (ref: string): Schema => {
    const found = document.components.schemas[ref.replace("#/components/schemas/", "")];
    if (!found) throw new Error(`the document has no ${ref}`);
    return found;
  };
  return {
    document,
    routes,
    routeOf(asked, path) {
      const method = asked === "HEAD" ? "GET" : asked;
      return matchers.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;
    },
    answerOf({ operation }, status) {
      const answer = operation.responses[status];
      if (answer === undefined || !("$ref" in answer)) return answer;
      return document.components.responses[answer.$ref.replace("#/components/responses/", "")];
    },
    schemaProblems: (schema, value) => problemsOf(schema, value, resolve),
  };
}

export interface Watch {
  /** Remembers the answer; the caller reads it as always. */
  saw(method: string, path: string, response: Response): void;
  /** Throws naming all that was answered and is not in the document. */
  check(): Promise<void>;
}

// It is the same of every hub: fetched once for all tests of this process.
let known: Promise<Documented> | undefined;

export function fetchDocument(api: string): Promise<Documented> {
  known ??= fetch(`${api}/openapi.json`)
    .then((response) => response.json() as Promise<ApiDocument>)
    .then(readDocument)
    .catch((error: unknown) => {
      // This hub was ended meanwhile; the next one may be asked.
      known = undefined;
      throw error;
    });
  return known;
}

const MAX_BYTES = 1_000_000;

/** `api` is asked for its document with the first answer seen. */
export function watchAnswers(api: string): Watch {
  const checks: Promise<string[]>[] = [];

  async function problemsWith(method: string, path: string, response: Response, text: Promise<string> | undefined) {
    const documented = await fetchDocument(api);
    const route = documented.routeOf(method, path);
    // No route: 404 or 405, as the document's own description says.
    if (!route) return [];
    const { status } = response;
    const answer = documented.answerOf(route, status);
    const where = `${route.name} → ${status}`;
    if (!answer) return [`${where}: this status is not documented`];
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const types = Object.keys(answer.content ?? {});
    if (text === undefined || (await text) === "") return [];
    const range = type.replace(/\/.*/, "/*");
    if (!types.includes(type) && !types.includes(range))
      return [`${where}: comes as ${type}; documented is ${types.join(", ") || "no content"}`];
    const schema = answer.content?.[type]?.schema;
    if (!schema || !type.endsWith("json")) return [];
    return documented.schemaProblems(schema, JSON.parse(await text)).map((problem) => `${where}: ${problem}`);
  }

  return {
    saw(method, path, response) {
      const [address = ""] = path.split("?");
      // Both readers of a copied body must keep up with each other: large ones and streams are left alone.
      const length = Number(response.headers.get("content-length") ?? MAX_BYTES);
      const text = length < MAX_BYTES && method !== "HEAD" ? response.clone().text() : undefined;
      const found = problemsWith(method, `${new URL(api).pathname}${address}`, response, text);
      // The hub may be ended in the middle of an answer.
      checks.push(found.catch((error: unknown) => (error instanceof SyntaxError ? [`${path}: ${error.message}`] : [])));
    },
    async check() {
      const problems = new Set((await Promise.all(checks)).flat());
      if (problems.size > 0) throw new Error(`not as /openapi.json says:\n${[...problems].slice(0, 30).join("\n")}`);
    },
  };
}
