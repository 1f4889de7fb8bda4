// Discovery with a folder of profiles, which a person edits.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Profiles } from "../../../src/house/discovery/sources/profiles/profiles.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { messageExpressions } from "../../../src/rules/expression/messages.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { createRig } from "./rig.ts";

export const SHIPPED = join(import.meta.dir, "../../../config/profiles");

/** `files`: by name. */
export function createProfilesRig(
  files: Record<string, string>,
  options: Omit<NonNullable<Parameters<typeof createRig>[0]>, "profiles" | "clock"> = {},
) {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.at(name), text);
  const clock = createVirtualClock();
  const profiles = new Profiles({ folder: folder.path, clock, log: silentLog, compiler: messageExpressions });
  void profiles.start(Number.POSITIVE_INFINITY);
  const rig = createRig({ ...options, profiles, clock });
  return {
    ...rig,
    profiles,
    at: (name: string) => folder.at(name),
    /** Saves the file, and waits as long as a person may have to. */
    async save(name: string, text: string) {
      writeFileSync(folder.at(name), text);
      await clock.advance(2000);
    },
    async remove(name: string) {
      rmSync(folder.at(name));
      await clock.advance(2000);
    },
    ids: () => [...rig.registry.list()].map(({ id }) => id).sort(),
    device: (id: string) => rig.registry.get(id),
    [Symbol.dispose]() {
      profiles[Symbol.dispose]();
      rig[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** A profile as it comes with the hub. */
export function shipped(name: string): string {
  return readFileSync(join(SHIPPED, `${name}.toml`), "utf8");
}
