// A house with one of everything, each of the same name, and a request of the smallest kind for every route of the document.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "../../src/server/home/paths.ts";
import type { Documented, DocumentedRoute } from "./documented.ts";
import type { Schema } from "./json-schema.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";
import type { TestHub } from "./test-hub.ts";

/** Whatever a path names, it exists. */
export const THING = "thing";
const RULE = {
  ...{ id: THING, name: "A thing", trigger: { type: "device_state_changed", device_id: THING } },
  actions: [],
};
export const ONE_OF_EACH_TOML = `
[[calendars]]
id = "calendars"
file = "config/calendar.ics"

[[plugins]]
id = "${THING}"
binary = "plugins/${THING}/bin/${THING}"
config = "plugins/${THING}/config/config.toml"
enabled = false
`;

/** The files, before the hub starts with the TOML above. */
export function layOutOneOfEach(folder: TemporaryFolder): void {
  const { config } = homeAt(folder.path);
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "modes.toml"), '[[modes]]\nid = "modes"\nkind = "manual"\n');
  writeFileSync(join(config, "calendar.ics"), "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n");
}

/** The rest, over the API. */
export async function makeOneOfEach(hub: TestHub, api: Documented): Promise<void> {
  const make = async (path: string, body: object | string, method = "POST"): Promise<void> => {
    const made = await hub.request(method, path, { token: hub.adminToken, body });
    const wanted = method === "PUT" ? 200 : 201;
    if (made.status !== wanted) throw new Error(`${method} ${path}: ${made.status} ${await made.text()}`);
  };
  await make("/timers", { id: "timers" });
  await make("/switches", { id: THING });
  await make("/schedules", { id: "schedules", name: "A plan", plan: [] });
  await make("/groups", { id: "groups", name: "A group", members: [THING] });
  await make("/scenes", { id: THING, name: "A thing", states: { [THING]: { on: true } } });
  await make("/variables/thing", { value: { any: ["thing"] } }, "PUT");
  await make("/auth/api-keys", { label: THING, role: "viewer" });
  await make("/rules", RULE);
  const blueprint = 'name = "A thing"\n[inputs.thing]\ntype = "text"\nname = "A thing"\nrequired = false\n';
  await make(`/blueprints/${THING}/text`, blueprint, "PUT");
  for (const { path, body } of await missingThings(hub, api)) await make(path, body);
}

// They are devices, as the switch of that name is.
export const nameIn = (path: string): string =>
  /\/(timers|modes|schedules|groups|calendars)\//.exec(path)?.[1] ?? THING;

/** What can be made and is not there yet, each by the smallest body that its route describes. */
async function missingThings(hub: TestHub, api: Documented): Promise<{ path: string; body: object }[]> {
  const { sample } = createSamples(api);
  const missing = api.routes
    .filter(({ method, operation }) => method === "POST" && operation.requestBody)
    .map(async (route) => {
      const one = api.routes.find(
        ({ method, path }) => method === "GET" && /^\/\{\w+\}$/.test(path.replace(route.path, "")),
      );
      const there =
        one && (await hub.request("GET", addressOf(one, nameIn(one.path)), { token: hub.adminToken })).status;
      if (there !== 404) return [];
      const schema = route.operation.requestBody?.content["application/json"]?.schema ?? {};
      const id = schema.properties?.id ? { id: THING } : {};
      return [{ path: addressOf(route), body: { ...(sample(schema) as object), ...id } }];
    });
  return (await Promise.all(missing)).flat();
}

export const addressOf = ({ path }: { path: string }, name = THING): string =>
  path.replace("/api/v1", "").replace(/\{\w+\}/g, name);

export interface Samples {
  /** A value that fits, as small as may be. */
  sample(schema: Schema): unknown;
  bodyThatFits(route: DocumentedRoute): unknown;
}

export function createSamples(api: Documented): Samples {
  function bodyThatFits({ path, operation }: DocumentedRoute): unknown {
    const [content] = Object.values(operation.requestBody?.content ?? {});
    if (/^\/api\/v1\/(rules|blueprints)\/.*\/text$/.test(path)) return "()";
    return sample(content?.schema ?? {});
  }

  function sample(schema: Schema): unknown {
    if (schema.$ref) return RULE;
    if (schema.default !== undefined) return schema.default;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    const [branch] = schema.anyOf ?? schema.oneOf ?? [];
    if (branch) return sample(branch);
    switch ([schema.type].flat()[0]) {
      case "string":
        return [THING, "1h", "password of a thing"].find((text) => isAsDescribed(schema, text)) ?? "";
      case "integer":
      case "number":
        return schema.minimum ?? 1;
      case "boolean":
        return true;
      case "array":
        return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}));
      case "object":
        return sampleObject(schema);
      default:
        return null;
    }
  }

  function sampleObject({ properties = {}, required = [], minProperties = 0, additionalProperties }: Schema): object {
    const optional = Object.keys(properties).filter((key) => !required.includes(key));
    const keys = [...required, ...optional].slice(0, Math.max(required.length, minProperties));
    const own = keys.map((key) => [key, sample(properties[key] ?? {})]);
    const more = typeof additionalProperties === "object" ? [[THING, sample(additionalProperties)]] : [];
    return Object.fromEntries([...own, ...more]);
  }

  function isAsDescribed(schema: Schema, value: unknown): boolean {
    return api.schemaProblems(schema, value).length === 0;
  }

  return { sample, bodyThatFits };
}
