// Which names an archive may hold. Making one keeps to the same rules as restoring one: what is saved can be put back.

const LONGEST_NAME = 1024;
const LONGEST_PART = 255;

/** What is wrong with the path of an entry; undefined where it stays inside the folder it is unpacked to. */
export function nameProblem(path: string): string | undefined {
  if (path === "") return "has no name";
  if (path.length > LONGEST_NAME) return `is longer than ${LONGEST_NAME} characters`;
  if (path.includes("\\")) return "holds a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is an absolute path";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not occur
  if (/[\x00-\x1f\x7f]/.test(path)) return "holds a control character";
  const parts = path.split("/");
  if (parts.some((part) => part === ".." || part === "." || part === ""))
    return "leaves its folder, or has an empty part";
  return parts.some((part) => Buffer.byteLength(part) > LONGEST_PART) ? "has a part that is too long" : undefined;
}

/** What systems and editors leave in folders, and nobody misses. */
export function isClutter(path: string): boolean {
  return /(^|\/)(__MACOSX\/|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)/i.test(path) || /\.tmp$/.test(path);
}

/** For messages: without characters that would act on a terminal. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
