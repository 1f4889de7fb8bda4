// Files that channels name and that cannot be read. `hub check` warns of them; the channel works again once they are there.
import { accessSync, constants } from "node:fs";
import { Kind, type TSchema } from "@sinclair/typebox";
import { systemCode } from "../../kit/schema/errors.ts";
import { isObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { kinds } from "./channels/index.ts";
import { type NotifySection, readChannels } from "./config.ts";

/** Looks at all fields that are marked `file: true`. */
export function missingFiles({ channels }: NotifySection, resolve: (path: string) => string): Problem[] {
  return readChannels(channels).entries.flatMap((entry, index) => {
    const schema = kinds.find(({ kind }) => kind === entry.kind)?.schema;
    if (!schema || !("config" in entry)) return [];
    return filesOf(schema, entry.config, `notify.channels[${index}]`).flatMap(({ path, file }) => {
      const reason = whyUnreadable(resolve(file));
      return reason === undefined ? [] : [{ path, message: `${file} ${reason}`, warning: true }];
    });
  });
}

function filesOf(schema: TSchema, value: unknown, path: string): { path: string; file: string }[] {
  if (schema.file === true) return typeof value === "string" ? [{ path, file: value }] : [];
  if (schema[Kind] !== "Object" || !isObject(value)) return [];
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([key, inner]) =>
    filesOf(inner, value[key], `${path}.${key}`),
  );
}

function whyUnreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return systemCode(error) === "ENOENT" ? "does not exist" : "cannot be read";
  }
}
