// What a new API key may do: its role in the API, or, with the scope `mcp`, what it sees and does at /mcp.
import { type Static, Type } from "@sinclair/typebox";
import type { Areas } from "../../../house/state/areas.ts";
import type { Registry } from "../../../house/state/registry.ts";
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import { allCalled, severalCalled } from "../../../kit/text/called.ts";
import type { NewApiKey } from "../../../server/auth/api-keys.ts";
import type { McpScope } from "../../../server/auth/mcp-scope.ts";
import type { Role } from "../../../server/auth/roles.ts";
import { invalid } from "../errors.ts";

const MOST = 1000;
const Name = Type.String({ minLength: 1, maxLength: 255 });

export const Scope = Type.Literal("mcp");

export const McpFields = {
  scopes: Type.Optional(
    Type.Array(Scope, {
      maxItems: 1,
      description: "`mcp`: for assistants, at /mcp and nowhere else. Left out: for the API",
    }),
  ),
  areas: Type.Optional(
    Type.Union([Type.Array(Name, { maxItems: MOST }), Type.Null()], {
      description: "With `mcp`: ids or names of the areas it sees; the whole house where absent",
    }),
  ),
  devices: Type.Optional(
    Type.Array(Name, {
      maxItems: MOST,
      description:
        "With `mcp`: ids or names of further devices; locks, alarms and garage doors are seen only where they stand here",
    }),
  ),
  read_only: Type.Optional(Type.Boolean({ description: "With `mcp`: false lets it command; true where absent" })),
};
const Fields = Type.Object({ role: Type.Optional(Type.Unsafe<Role>()), ...McpFields });

export interface HouseOfKeys {
  areas: Pick<Areas, "list">;
  registry: Pick<Registry, "find" | "list">;
}

/** Throws HubError `invalid`. */
export function rightsOf(fields: Static<typeof Fields>, house: HouseOfKeys): Pick<NewApiKey, "role" | "mcp"> {
  const { role, scopes = [], areas = null, devices = [], read_only: readOnly = true } = fields;
  if (scopes.length > 0) {
    if (role === "viewer" && !readOnly) refuse("role", "a viewer commands nothing: leave the role out, or read_only");
    return {
      role: role ?? (readOnly ? "viewer" : "user"),
      mcp: { areas: areasIn(areas, house), devices: devicesIn(devices, house), readOnly },
    };
  }
  const [stray] = (["areas", "devices", "read_only"] as const).filter((key) => fields[key] !== undefined);
  if (stray !== undefined) refuse(stray, 'is for keys with scopes: ["mcp"]');
  if (role === undefined) refuse("role", "missing: must be admin, user or viewer");
  return { role };
}

function areasIn(wanted: readonly string[] | null, { areas }: HouseOfKeys): McpScope["areas"] {
  if (wanted === null) return null;
  const known = areas.list();
  const problems: Problem[] = [];
  const ids = wanted.flatMap((text, index) => {
    const found = allCalled(known, text);
    if (found.length === 1) return found.map(({ id }) => id);
    if (found.length > 1) {
      problems.push({ path: `areas[${index}]`, message: severalCalled("area", text, found) });
      return [];
    }
    const meant = didYouMean(
      text,
      known.flatMap(({ id, name }) => [id, name]),
    );
    problems.push({ path: `areas[${index}]`, message: `there is no area "${text}"${meant}` });
    return [];
  });
  if (problems.length > 0) throw invalid(problems);
  return [...new Set(ids)];
}

function devicesIn(wanted: readonly string[], { registry }: HouseOfKeys): string[] {
  const found = wanted.map((text) => allCalled([...registry.list()], text));
  const problems = found.flatMap((devices, index): Problem[] => {
    const text = wanted[index] ?? "";
    if (devices.length === 1) return [];
    const message = devices.length > 1 ? severalCalled("device", text, devices) : `there is no device "${text}"`;
    return [{ path: `devices[${index}]`, message }];
  });
  if (problems.length > 0) throw invalid(problems);
  return [...new Set(found.flat().map(({ id }) => id))];
}

function refuse(path: string, message: string): never {
  throw invalid([{ path, message }]);
}
