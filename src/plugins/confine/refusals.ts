// What a confined plugin prints when the kernel refuses it something, in words that name the mend.
import { resolve } from "node:path";
import type { Home } from "../../home/paths.ts";
import { isWithin, realPlace } from "./trees.ts";

export interface Whereabouts {
  /** The plugin's own folder, in which it runs. */
  folder: string;
  home: Home;
}

const REFUSED = /permission denied|EACCES|operation not permitted|EPERM|AccessDenied|access denied/i;
// `open '/srv/x'`, `[Errno 13] Permission denied: '/srv/x'`, `cat: ../x: Permission denied`, `cannot create /srv/x: …`
const PATHS = /['"`]([^'"`]*\/[^'"`]*)['"`]|(?:^|[\s:=(])((?:\/|\.{1,2}\/)[^\s:,;'"`)]+)/g;
const MOST = 3;
const LONGEST = 300;

/** One sentence for each path that was refused, newest first. */
export function refusalsIn(lines: readonly string[], where: Whereabouts): string[] {
  const paths = lines
    .filter((line) => REFUSED.test(line))
    .reverse()
    .flatMap((line) =>
      [...line.matchAll(PATHS)].map(([, quoted, plain]) => resolve(where.folder, quoted ?? plain ?? "")),
    );
  // A script's own path stands in its messages as well.
  const outside = paths.filter((path) => path.length <= LONGEST && !isWithin(path, where.folder));
  return [...new Set(outside)].slice(0, MOST).map((path) => sentence(path, where));
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
