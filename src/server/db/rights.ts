// What keeps this process from a database though the disk is well: missing rights to the file or its folder, or a link that leads
// nowhere. SQLite reports all of it as a file that cannot be opened.
import { closeSync, existsSync, lstatSync, openSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../kit/schema/errors.ts";

/** Says what it is and how to mend it; undefined where rights and links are well, or there is no file. */
export function rightsProblem(path: string): string | undefined {
  const isLink = isLinkAt(path);
  if (!existsSync(path))
    return isLink
      ? `${path} is a link to a file that is not there: mount its disk, or put the file in the place of the link`
      : undefined;
  const file = realpathSync(path);
  const folder = dirname(file);
  const what = isLink ? `${path} is a link to ${file}, and the` : "the";
  const denied = [
    ...(mayOpen(file, "r+") ? [] : [file]),
    // Beside the database SQLite keeps its log.
    ...(mayOpen(join(folder, `.hub-probe.${process.pid}.tmp`), "wx") ? [] : [folder]),
  ];
  if (denied.length === 0) return undefined;
  const user = `${process.geteuid?.()}:${process.getegid?.()}`;
  return `${what} user of the hub (${user}) may not write ${denied.join(" and ")}: give it to that user, with \`sudo chown ${user} ${denied.join(" ")}\``;
}

function isLinkAt(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

/** False only where rights are missing. Tried, because what is asked for is answered for the real user, not for the one acted as. */
function mayOpen(path: string, flags: "r+" | "wx"): boolean {
  try {
    closeSync(openSync(path, flags, 0o600));
    if (flags === "wx") rmSync(path, { force: true });
    return true;
  } catch (error) {
    return !["EACCES", "EPERM"].includes(systemCode(error) ?? "");
  }
}
