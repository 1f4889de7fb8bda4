// manifest.json, which describes an archive. It is the last entry, because the checksums are known only then.
import { type Static, Type } from "@sinclair/typebox";
import { HubError } from "../../../kit/schema/errors.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import { checkValue } from "../../../kit/schema/schema.ts";

export const MANIFEST = "manifest.json";
export const MANIFEST_FORMAT = 1;
/** More than any home needs; a larger file is not a manifest. */
export const MANIFEST_MAX_BYTES = 16 * 1024 * 1024;

const whole = Type.Integer({ minimum: 0 });

export const Counts = Type.Object({
  devices: whole,
  rules: Type.Integer({ minimum: 0, description: "Rule files, examples left out" }),
  users: whole,
  plugins: Type.Integer({ minimum: 0, description: "[[plugins]] in hub.toml" }),
});
export type Counts = Static<typeof Counts>;

// Open objects: a later hub may add keys in the same format.
export const Manifest = Type.Object({
  format: Type.Literal(MANIFEST_FORMAT),
  hub_version: Type.String(),
  created_at: Type.String({ description: "UTC" }),
  counts: Counts,
  /** `user_version` of the databases. */
  schemas: Type.Object({ state: whole, history: Type.Union([whole, Type.Null()]) }),
  /** What of `config/` and `rules/` is not in it, and why; the first of many. */
  skipped: Type.Optional(Type.Array(Type.String())),
  entries: Type.Array(
    Type.Object({ path: Type.String(), bytes: whole, sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }) }),
  ),
});
export type Manifest = Static<typeof Manifest>;
export type ManifestEntry = Manifest["entries"][number];

/** Throws HubError `invalid`. */
export function parseManifest(text: string): Manifest {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new HubError("invalid", `the archive's ${MANIFEST} cannot be read: ${parsed.problem}`);
  const format = (parsed.value as { format?: unknown } | null)?.format;
  if (typeof format === "number" && format > MANIFEST_FORMAT)
    throw new HubError(
      "invalid",
      `the archive was made by a newer hub (format ${format}, this one reads ${MANIFEST_FORMAT}): restore it with that version`,
    );
  const checked = checkValue(Manifest, parsed.value);
  if (checked.ok) return checked.value;
  const shown = checked.problems.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  throw new HubError("invalid", `the archive's ${MANIFEST} is not one of a backup: ${shown.join("; ")}`);
}
