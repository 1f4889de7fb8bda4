// What this hub wants of the machine that was the hub before, when that comes back (`data/standby-wanted.json`): noted at the take-over,
// and removed when it was sent. Neither backups nor the copy for a standby contain it.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import { parseJson } from "../../kit/schema/json.ts";
import type { Home } from "../../server/home/paths.ts";
import { HandbackWanted } from "./handback.ts";

const WantedFile = Type.Object({
  version: Type.Literal(1),
  /** The id of that machine; null where it is not known: then it is whichever has the key of the pair. */
  from: Type.Union([Type.String(), Type.Null()]),
  ...HandbackWanted.properties,
});

export type NotedWanted = Omit<Static<typeof WantedFile>, "version">;

const wantedPath = ({ data }: Pick<Home, "data">): string => join(data, "standby-wanted.json");

/** Undefined where nothing is wanted. Throws HubError `storage` where that cannot be read. */
export function readWanted(home: Pick<Home, "data">): NotedWanted | undefined {
  const path = wantedPath(home);
  try {
    const parsed = parseJson(readFileSync(path, "utf8"));
    if (!parsed.ok || !Value.Check(WantedFile, parsed.value)) return undefined;
    const { version: _, ...wanted } = parsed.value;
    return wanted;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

export function noteWanted(home: Pick<Home, "data">, wanted: NotedWanted): void {
  writeFileAtomic(wantedPath(home), `${JSON.stringify({ version: 1, ...wanted })}\n`, 0o600);
}

export function forgetWanted(home: Pick<Home, "data">): void {
  rmSync(wantedPath(home), { force: true });
}
