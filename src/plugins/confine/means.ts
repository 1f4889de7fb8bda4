// By what the kernel holds plugins on this machine: the best that it has.
import { type Static, Type } from "@sinclair/typebox";
import { gaps, handledRights, type Landlock, scopes } from "./landlock.ts";
import type { Namespaces } from "./namespaces.ts";

/** `nothing` where the entry wants it so, or on another system than Linux. */
export const HeldBy = Type.Union([
  Type.Literal("landlock"),
  Type.Literal("namespaces"),
  Type.Literal("system_calls"),
  Type.Literal("nothing"),
]);
export type HeldBy = Static<typeof HeldBy>;

export interface Means {
  heldBy: HeldBy;
  /** For people: by what, with what it cannot refuse; or why not by more. */
  detail: string;
  landlock: { handled: number; scoped: number } | undefined;
  /** What is put before the launcher's command, where it runs in namespaces. */
  command: readonly string[] | undefined;
}

/** What is filtered for these processors is in system-calls.ts. */
const FILTERED = ["x64", "arm64"];
const NONE = { landlock: undefined, command: undefined };

export function meansOf(
  { abi, reason }: Landlock,
  namespaces: () => Namespaces,
  { platform, arch }: Pick<NodeJS.Process, "platform" | "arch"> = process,
): Means {
  if (abi > 0) {
    const detail = [`Landlock ${abi}`, gaps(abi)].filter(Boolean).join(": ");
    return { ...NONE, heldBy: "landlock", detail, landlock: { handled: handledRights(abi), scoped: scopes(abi) } };
  }
  if (platform !== "linux" || !FILTERED.includes(arch)) return { ...NONE, heldBy: "nothing", detail: reason };
  const { command, reason: why } = namespaces();
  if (command)
    return {
      ...NONE,
      heldBy: "namespaces",
      detail: `namespaces and a filter of system calls, as ${reason}: they cannot refuse signals to other plugins`,
      command,
    };
  return {
    ...NONE,
    heldBy: "system_calls",
    detail: `a filter of system calls alone, so it can read what the hub can: ${reason}, and ${why}`,
  };
}
