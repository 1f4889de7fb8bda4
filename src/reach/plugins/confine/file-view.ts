// What a plugin sees of the files where the kernel has no Landlock: a tree of its own, in which only what it may use is mounted.
// It runs in new user and mount namespaces, in which the launcher was started. Bundled into launcher.ts.
import { chmodSync, closeSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Libc } from "./libc.ts";

export interface FileView {
  /** Real paths, those of folders before what is in them. `name`: the folder alone, with what else is shown in it. */
  mounts: [path: string, access: "name" | "read" | "write"][];
  /** Links by which the paths are also known. */
  links: [path: string, target: string][];
}

// The folder under which the tree is built. Every system has it; nothing is loaded from it meanwhile.
const STAGE = "/usr";
const MS_NOSUID = 2n;
const MS_NODEV = 4n;
const MNT_DETACH = 2;
// -100, as an int.
const AT_FDCWD = 0xffff_ff9cn;
const AT_EMPTY_PATH = 0x1000n;
const AT_RECURSIVE = 0x8000n;
const OPEN_TREE_CLONE_CLOEXEC = 0o2000001n;
const MOVE_MOUNT_F_EMPTY_PATH = 4n;
const MOUNT_ATTR_RDONLY = 1n;
// The same on x64 and arm64.
const OPEN_TREE = 428n;
const MOVE_MOUNT = 429n;
const MOUNT_SETATTR = 442n;
const PIVOT_ROOT: Readonly<Record<string, bigint>> = { x64: 155n, arm64: 41n };

/** Returns what failed, or undefined. Nothing that is not in the view can be reached afterwards. */
export function enterFileView({ mounts, links }: FileView, library: Libc): string | undefined {
  const { call, text } = library;
  const sys = (number: bigint, ...more: bigint[]): number => {
    const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = more;
    return Number(call.syscall(number, a, b, c, d, e));
  };
  const nothing = BigInt(text(""));
  // struct mount_attr: attr_set, attr_clr, propagation, userns_fd.
  const attributes = BigInt(library.numbers([MOUNT_ATTR_RDONLY, 0n, 0n, 0n]));
  const readOnly = (tree: bigint, flags: bigint): boolean =>
    sys(MOUNT_SETATTR, tree, nothing, flags | AT_EMPTY_PATH, attributes, 32n) === 0;

  // Copies, made before anything is covered.
  const trees = mounts.flatMap(([path, access]) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    // It was deleted meanwhile: nothing to show.
    if (!stat) return [];
    const flags = OPEN_TREE_CLONE_CLOEXEC | AT_RECURSIVE;
    const tree = access === "name" ? undefined : sys(OPEN_TREE, AT_FDCWD, BigInt(text(path)), flags);
    return [{ path, access, isFolder: stat.isDirectory(), tree }];
  });
  if (call.mount(text("hub"), text(STAGE), text("tmpfs"), MS_NOSUID | MS_NODEV, text("mode=111,size=4m")) !== 0)
    return "mounting its view of the files";
  for (const { path, access, isFolder, tree } of trees) {
    const place = `${STAGE}${path}`;
    makePlace(place, isFolder);
    if (tree === undefined) {
      chmodSync(place, LISTABLE);
      continue;
    }
    const [from, to] = [BigInt(tree), BigInt(text(place))];
    if (tree < 0 || (access === "read" && !readOnly(from, AT_RECURSIVE))) return `preparing ${path}`;
    if (sys(MOVE_MOUNT, from, nothing, AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH) !== 0) return `showing ${path}`;
    closeSync(tree);
  }
  for (const [path, target] of links) makeLink(`${STAGE}${path}`, target);
  process.chdir(STAGE);
  const here = BigInt(text("."));
  if (sys(PIVOT_ROOT[process.arch] ?? 0n, here, here) !== 0 || call.umount2(text("."), MNT_DETACH) !== 0)
    return "leaving the files of the machine";
  process.chdir("/");
  return readOnly(AT_FDCWD, 0n) ? undefined : "protecting its view of the files";
}

// The folders on the way to what is shown can be passed, but not listed.
const PASSABLE = { recursive: true, mode: 0o111 } as const;
const LISTABLE = 0o555;

// In a folder that is shown already, it is there.
function makePlace(place: string, isFolder: boolean): void {
  if (existsSync(place)) return;
  mkdirSync(isFolder ? place : dirname(place), PASSABLE);
  if (!isFolder) writeFileSync(place, "");
}

function makeLink(place: string, target: string): void {
  if (existsSync(place)) return;
  mkdirSync(dirname(place), PASSABLE);
  try {
    symlinkSync(target, place);
  } catch {
    // It is in a folder that is shown, and leads to something that is not.
  }
}
