// What a confined plugin prints when the kernel refuses it something, in words that name the mend.
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { systemCode } from "../../core/errors.ts";
import type { Home } from "../../home/paths.ts";
import { isWithin, realPlace } from "./trees.ts";

export interface Whereabouts {
  /** The plugin's own folder, in which it runs. */
  folder: string;
  home: Home;
}

const REFUSED = /permission denied|EACCES|operation not permitted|EPERM|AccessDenied|access denied/i;
// `open '/srv/x'`, `[Errno 13] Permission denied: '/srv/x'`
const QUOTED = /['"`]([^'"`]*\/[^'"`]*)['"`]/g;
// `/bin/cat: ../x: Permission denied`, `cannot create /srv/x: …`: the last is what was refused.
const PLAIN = /(?:^|[\s:=(])((?:\/|\.{1,2}\/)[^\s:,;'"`)]+)/g;
const MOST = 3;
const LONGEST = 300;

/** One sentence for each path that was refused, newest first. */
export function refusalsIn(lines: readonly string[], where: Whereabouts): string[] {
  const paths = lines
    .filter((line) => REFUSED.test(line))
    .reverse()
    .flatMap((line) => {
      const quoted = [...line.matchAll(QUOTED)];
      return quoted.length > 0 ? quoted : [...line.matchAll(PLAIN)].slice(-1);
    })
    .map(([, path = ""]) => resolve(where.folder, path));
  const outside = paths.filter((path) => path.length <= LONGEST && !isWithin(path, where.folder) && !isOthers(path));
  return [...new Set(outside)].slice(0, MOST).map((path) => sentence(path, where));
}

// Devices are open, and what the hub may not read either, the permissions of the file refuse.
function isOthers(path: string): boolean {
  if (isWithin(path, "/dev")) return true;
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return systemCode(error) === "EACCES";
  }
}

function sentence(path: string, { home }: Whereabouts): string {
  const { config, data, rules, logs, bin } = home;
  const place = realPlace(path);
  const hubs = [config, data, rules, logs, bin].map(realPlace);
  if (hubs.some((closed) => isWithin(place, closed)))
    return `the kernel refused it ${path}, which is the hub's and stays closed to plugins`;
  const mend = hubs.some((closed) => isWithin(closed, place))
    ? "keep what it needs in its own folder"
    : `read = ["${path}"] or write = ["${path}"] in its [[plugins]] entry opens that`;
  return `it is confined, and may have been refused ${path}: ${mend}`;
}
