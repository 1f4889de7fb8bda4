// Which copy is meant: of the house that is named, or of the only one there is.
import { HubError } from "../../../kit/schema/errors.ts";
import type { Copy, HouseCopies } from "./jobs.ts";

export interface Wanted {
  /** `latest`, or a name as it is listed. */
  name: string;
  /** Undefined where nobody said. */
  house: string | undefined;
  /** This house, if it is known: preferred, not required. */
  ours?: string | undefined;
}

export interface Chosen {
  house: string;
  copy: Copy;
}

/** Throws HubError `not_found`, or `invalid` where there are several houses and none is named. */
export function chooseCopy(found: readonly HouseCopies[], { name, house, ours }: Wanted): Chosen {
  const named = house ?? houseIn(found, name) ?? found.find((one) => one.house === ours)?.house;
  if (found.length === 0) throw new HubError("not_found", "there are no backups at this target");
  if (named === undefined && found.length > 1)
    throw new HubError(
      "invalid",
      `there are several houses at this target; say which: ${found.map((one) => one.house).join(", ")}`,
    );
  const there = named === undefined ? found[0] : found.find((one) => one.house === named);
  if (!there) throw new HubError("not_found", `there is no house ${named} at this target`);
  const copy = name === "latest" ? there.copies[0] : there.copies.find((one) => one.name === name);
  if (!copy) throw new HubError("not_found", `there is no copy ${name} of ${there.house}: list them first`);
  return { house: there.house, copy };
}

/** Names hold the hub that made them, so they are rarely those of two houses. */
function houseIn(found: readonly HouseCopies[], name: string): string | undefined {
  const having = found.filter(({ copies }) => copies.some((copy) => copy.name === name));
  return having.length === 1 ? having[0]?.house : undefined;
}
