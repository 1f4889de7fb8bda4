// The OpenAPI document, made from the routes' own schemas. Elysia's plugin collects them; error responses, ranges, optional
// bodies and names of schemas are added here. There is no page and no asset from another site.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { vocabulary, type Word } from "../../../rules/read/vocabulary.ts";
import { doc, OPENAPI_PATH } from "../doc.ts";
import { commonResponses, refusalResponses } from "./refusals.ts";
import {
  type Components,
  describedInput,
  describedQueryValue,
  describedSchema,
  MAY_BE_ABSENT,
  refTo,
} from "./schemas.ts";

const Problem: JsonObject = {
  type: "object",
  description: "RFC 9457 problem details; `error` repeats `detail`",
  required: ["type", "title", "status", "code", "detail", "error", "instance"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", description: "Stable; the texts may change" },
    detail: { type: "string" },
    error: { type: "string" },
    instance: { type: "string" },
    problems: {
      type: "array",
      description: "The wrong values, where there are any",
      items: {
        type: "object",
        required: ["message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
        additionalProperties: true,
      },
    },
  },
  additionalProperties: true,
};

const DESCRIPTION = `A home-automation hub: devices, events, rules, plugins, users.

Every error is problem+json. Besides those listed with each operation: an address that does not exist answers 404, a \
method that an address does not have 405 with Allow, and HEAD answers like GET. Lengths of texts are counted in UTF-16 units.`;

export function openApiDocument({ version }: { version: string }) {
  let text: string | undefined;
  // The routes are collected at the first request, when the app has registered all of them.
  const app = new Elysia();
  return app.get(
    OPENAPI_PATH,
    async function openApi() {
      text ??= JSON.stringify(completed(await collected(app), version));
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
    doc({
      access: "public",
      summary: "This document",
      tag: "system",
      answers: { 200: { description: "OpenAPI 3.1", schema: Type.Object({}, { additionalProperties: true }) } },
    }),
  );
}

interface Collected {
  paths: Record<string, Record<string, JsonObject>>;
}

async function collected(app: Elysia): Promise<Collected> {
  const { toOpenAPISchema } = await import("@elysiajs/openapi");
  // By way of JSON, which drops the symbols and functions in the schemas.
  return JSON.parse(JSON.stringify(toOpenAPISchema(app, { staticFile: false }))) as Collected;
}

function completed({ paths }: Collected, version: string): JsonObject {
  const components: Components = { Problem, ...ruleSchemas() };
  const all = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        completeOperation(method, operation, components),
      ]),
    ),
  ]);
  return {
    openapi: "3.1.0",
    info: { title: "Hub", version, description: DESCRIPTION },
    servers: [{ url: "/", description: "The hub this document comes from" }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(all),
    components: {
      schemas: components,
      responses: commonResponses(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A token from /auth/login, or an API key. An address that [auth] whitelist names needs none",
        },
        token_in_query: {
          type: "apiKey",
          in: "query",
          name: "token",
          description: "The same, for browsers: they cannot send headers with a WebSocket",
        },
      },
    },
  };
}

function completeOperation(method: string, given: JsonObject, components: Components): JsonObject {
  const operation = { ...given };
  const parameters = [
    ...listOf(operation.parameters).map((parameter) => completeParameter(parameter, components)),
    ...listOf(operation["x-reads-elsewhere"]).map((read) => ({ required: false, ...read })),
  ];
  if (parameters.length > 0) operation.parameters = parameters;
  if (method === "get") delete operation.requestBody;
  if (isObject(operation.requestBody)) operation.requestBody = completeBody(operation.requestBody, components);
  operation.responses = {
    ...completeAnswers(operation.responses, components),
    ...refusalResponses({ method, operation }),
  };
  if (isObject(operation["x-frames"])) operation["x-frames"] = describedSchema(operation["x-frames"], components);
  operation["x-access"] = operation["x-needs"] ?? operation["x-access"] ?? "admin";
  for (const mark of ["x-refusals", "x-makes-missing", "x-reads-elsewhere", "x-needs"]) delete operation[mark];
  return operation;
}

function completeParameter(parameter: JsonObject, components: Components): JsonObject {
  const { schema = {}, ...rest } = parameter;
  const described = describedQueryValue(schema, components);
  const required = parameter.required === true && !(isObject(described) && described.default !== undefined);
  return { ...rest, required, schema: described };
}

function completeBody(body: JsonObject, components: Components): JsonObject {
  const { content } = body;
  const kinds = Object.entries(isObject(content) ? content : {});
  const schemaOf = (kind: Json): Json => (isObject(kind) ? (kind.schema ?? {}) : {});
  const isAbsentable = kinds.some(([, kind]) => {
    const schema = schemaOf(kind);
    return isObject(schema) && schema[MAY_BE_ABSENT] === true;
  });
  const described = kinds.map(([type, kind]) => [type, { schema: describedInput(schemaOf(kind), components) }]);
  return { ...body, content: Object.fromEntries(described), ...(isAbsentable ? { required: false } : {}) };
}

function completeAnswers(answers: Json | undefined, components: Components): JsonObject {
  if (!isObject(answers)) return {};
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      if (!isObject(answer)) return [status, answer];
      if (Number(status) >= 400)
        return [status, { content: { "application/problem+json": { schema: refTo("Problem") } }, ...answer }];
      if (!isObject(answer.content)) return [status, answer];
      const content = Object.entries(answer.content).map(([type, kind]) => [
        type,
        isObject(kind) ? { ...kind, schema: describedSchema(kind.schema ?? {}, components) } : kind,
      ]);
      return [status, { ...answer, content: Object.fromEntries(content) }];
    }),
  );
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * The schemas of /rules/vocabulary, which describe a rule's body here as well. Each trigger, condition and action has a name of its own,
 * and the unions refer to them: generators make no types of what refers to itself without a name.
 */
function ruleSchemas(): Components {
  const { triggers, conditions, actions, rule } = vocabulary();
  const { $defs: _, $schema: __, ...Rule } = rule;
  const named: Components = {
    Rule: withSingleTrigger(Rule),
    ...unionOf("Trigger", triggers),
    ...unionOf("Condition", conditions),
    ...unionOf("Action", actions),
  };
  const text = JSON.stringify(named)
    .replaceAll("#/$defs/trigger", "#/components/schemas/Trigger")
    .replaceAll("#/$defs/condition", "#/components/schemas/Condition")
    .replaceAll("#/$defs/action", "#/components/schemas/Action");
  return withoutMixedDefaults(describedSchema(JSON.parse(text) as Json, {})) as Components;
}

/**
 * Of a value that may be of several types, as durations are, generators make a type of its own, which cannot be given a number as its
 * default. The description says it instead.
 */
function withoutMixedDefaults(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutMixedDefaults);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withoutMixedDefaults(value)]));
  const { default: otherwise, ...rest } = inner;
  if (!Array.isArray(inner.type) || otherwise === undefined) return inner;
  return { ...rest, description: `${rest.description}; ${JSON.stringify(otherwise)} unless given` };
}

/** The union under its name, and its members: `cron` of `Trigger` is `CronTrigger`. */
function unionOf(kind: string, words: readonly Word[]): Components {
  const members = words.map(({ type, schema }) => ({ type, schema, name: `${pascalCase(type)}${kind}` }));
  const mapping = Object.fromEntries(members.map(({ type, name }) => [type, `#/components/schemas/${name}`]));
  return {
    [kind]: { oneOf: members.map(({ name }) => refTo(name)), discriminator: { propertyName: "type", mapping } },
    ...Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
  };
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

function withSingleTrigger(rule: JsonObject): JsonObject {
  const trigger = { $ref: "#/$defs/trigger", description: "Instead of `triggers`" };
  return { ...rule, properties: { ...(isObject(rule.properties) ? rule.properties : {}), trigger } };
}
