// Parts of the hub that are off in a safe start.
import type { Finding, Watch } from "../alert.ts";

interface OffPart {
  part: string;
  why: string;
  remedy: string;
  nextTry: number;
}

/** `houseTime`: epoch ms as local time. */
export function partsOffWatch(offParts: readonly OffPart[], houseTime: (at: number) => string): Watch {
  const findings = offParts.map(
    ({ part, why, remedy, nextTry }): Finding => ({
      kind: "part_off",
      about: part,
      severity: "critical",
      message: `${part} is off, because ${why}`,
      mend: `${remedy}.`,
      variant: part,
      values: { reason: why, next: houseTime(nextTry) },
    }),
  );
  return { name: "parts that are off", check: () => findings };
}
