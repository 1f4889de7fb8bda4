// Finds in the output of a confined plugin what the kernel denied it, and says what would allow it.
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { systemCode } from "../../../kit/schema/errors.ts";
import type { Home } from "../../../server/home/paths.ts";
import { isWithin, realPlace } from "./trees.ts";

export interface PluginPlace {
  /** The plugin's own folder, in which it runs. */
  folder: string;
  home: Home;
  /** Whether it does not even see what is closed to it: the kernel then says that it does not exist. */
  hides: boolean;
}

const DENIED = /permission denied|EACCES|operation not permitted|EPERM|AccessDenied|access denied/i;
const HIDDEN = /no such file|ENOENT|FileNotFound|read-only file system|EROFS/i;
// `open '/srv/x'`, `[Errno 13] Permission denied: '/srv/x'`
const QUOTED = /['"`]([^'"`]*\/[^'"`]*)['"`]/g;
// `/bin/cat: ../x: Permission denied`, `cannot create /srv/x: …`: the last path was denied.
const PLAIN = /(?:^|[\s:=(])((?:\/|\.{1,2}\/)[^\s:,;'"`)]+)/g;
const MOST = 3;
const LONGEST = 300;

/** One sentence for each denied path, newest first. */
export function denialsIn(lines: readonly string[], where: PluginPlace): string[] {
  const paths = lines
    .filter((line) => DENIED.test(line) || (where.hides && HIDDEN.test(line)))
    .reverse()
    .flatMap((line) => {
      const quoted = [...line.matchAll(QUOTED)];
      return quoted.length > 0 ? quoted : [...line.matchAll(PLAIN)].slice(-1);
    })
    .map(([, path = ""]) => resolve(where.folder, path));
  const outside = paths.filter(
    (path) => path.length <= LONGEST && !isWithin(path, where.folder) && !isClosedToHub(path, where.hides),
  );
  return [...new Set(outside)].slice(0, MOST).map((path) => sentence(path, where));
}

// Devices are open to plugins, and a file that the hub cannot read either is denied by its permissions. One that the hub does not
// see either does not exist, or another part of the path is denied.
function isClosedToHub(path: string, hides: boolean): boolean {
  if (isWithin(path, "/dev")) return true;
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return hides || systemCode(error) === "EACCES";
  }
}

function sentence(path: string, { home }: PluginPlace): string {
  const { config, data, rules, logs, bin } = home;
  const place = realPlace(path);
  const hubs = [config, data, rules, logs, bin].map(realPlace);
  if (hubs.some((closed) => isWithin(place, closed)))
    return `the kernel denied access to ${path}, which belongs to the hub and stays closed to plugins`;
  const mend = hubs.some((closed) => isWithin(closed, place))
    ? "keep what it needs in its own folder"
    : `read = ["${path}"] or write = ["${path}"] in its [[plugins]] entry opens that`;
  return `it is confined, and may have been denied access to ${path}: ${mend}`;
}
