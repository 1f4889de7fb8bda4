// What a confined plugin may access: the system's programs and devices, its own folder, and what its entry adds. Landlock can only
// allow whole trees, so none of these may contain the hub's files.
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Home } from "../../../server/home/paths.ts";
import { isScript } from "../command.ts";
import type { PluginEntry } from "../config.ts";
import type { FileView } from "./file-view.ts";
import { FILE_RIGHTS, RIGHTS, type Right } from "./landlock.ts";
import { entriesOf, isWithin, linksOn, openAround, realPath, realPlace } from "./trees.ts";

export interface Grant {
  /** With links resolved. */
  path: string;
  right: Right;
}

export interface GrantOptions {
  entry: Pick<PluginEntry, "id" | "read" | "write">;
  home: Home;
  /** Absolute. */
  binary: string;
  config: string;
  execPath: string;
  /** Files and folders outside the home that contain secrets of the hub. */
  secrets: readonly string[];
  isRoot: boolean;
}

export interface Grants {
  list: Grant[];
  /** Paths of the entry that do not exist. */
  missing: string[];
}

// Programs, libraries, interpreters.
const PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"];
// Open as a whole: resolv.conf, for example, may be replaced after the start and must be readable then.
const SETTINGS = ["/etc"];
// The targets of links in /etc on some systems, and what libraries for USB, D-Bus and name resolution read.
const RUNNING = [
  ...["/run/systemd/resolve", "/run/systemd/netif", "/run/resolvconf", "/run/NetworkManager", "/run/connman"],
  ...["/run/udev", "/run/dbus", "/run/avahi-daemon", "/run/nscd", "/run/current-system", "/sys", "/proc"],
];
const LINKED = ["/etc/resolv.conf", "/etc/localtime", "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/pki/tls/certs"];
const SHARED = ["/dev/shm", "/run/lock"];
// By which programs know what is in /run.
const COMMON_NAMES = ["/var/run", "/var/lock"];
// Disks and memory, which only root can open; for other users the permissions of the files deny them.
const RAW = /^(mem|kmem|port|kmsg|nvram|nvme.*|sg\d+|bsg|mapper)$/;
// Folders that are shared by several programs.
const WIDE =
  /^\/(|home|root|tmp|var|run|mnt|media|srv|dev|proc|sys|etc|boot|home\/[^/]+|var\/[^/]+|mnt\/[^/]+|media\/[^/]+)$/;

/** Throws HubError `config`, which says what to do, when the entry would open the hub's files. */
export function grantsOf(options: GrantOptions): Grants {
  const { home, entry } = options;
  const missing: string[] = [];
  const asked = (list: "read" | "write"): Grant[] =>
    entry[list].flatMap((named) => {
      const path = askedPath(options, list, named);
      if (path === undefined) missing.push(named);
      return path === undefined ? [] : [{ path, right: list }];
    });
  const readable = [realPath(join(home.plugins, "sdk")), realPath(options.execPath)];
  const list: Grant[] = [
    ...systemGrants(options),
    { path: ownFolder(options), right: "write" },
    ...readable.flatMap((path): Grant[] => (path === undefined ? [] : [{ path, right: "read" }])),
    ...programPlace(options),
    ...configFile(options),
    ...asked("read"),
    ...asked("write"),
  ];
  return { list, missing };
}

/** Secrets that every plugin can read because they are in a folder that is open as a whole. */
export function exposed(secrets: readonly string[]): string[] {
  return secrets.filter((path) => SETTINGS.some((settings) => isWithin(realPlace(path), settings)));
}

/** The rules in the kernel's form, without the rights that a file cannot have. */
export function rulesOf(grants: readonly Grant[]): [path: string, rights: number][] {
  const rules = new Map<string, number>();
  for (const { path, right } of grants) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    const rights = stat.isDirectory() ? RIGHTS[right] : RIGHTS[right] & FILE_RIGHTS;
    rules.set(path, (rules.get(path) ?? 0) | rights);
  }
  return [...rules];
}

const ACCESS = { list: "name", read: "read", device: "read", shared: "write", write: "write" } as const;

/**
 * The same as a tree of mounts. A device file can be written to in a folder that cannot be changed. `names`: paths by which the
 * plugin knows its files, with links in them.
 */
export function viewOf(grants: readonly Grant[], names: readonly string[]): FileView {
  const wanted = new Map<string, FileView["mounts"][number][1]>();
  for (const { path, right } of grants) {
    const known = wanted.get(path);
    if (known !== "write" && ACCESS[right] !== "name") wanted.set(path, ACCESS[right]);
    else if (known === undefined) wanted.set(path, ACCESS[right]);
  }
  const mounts = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1));
  const isOpenAbove = ([path, access]: FileView["mounts"][number]): boolean =>
    mounts.some(
      ([above, there]) =>
        above !== path && isWithin(path, above) && (there === "write" || (there === "read" && access !== "write")),
    );
  const atTheTop = entriesOf("/").map((name) => `/${name}`);
  const links = new Map([...atTheTop, ...COMMON_NAMES, ...names].flatMap(linksOn));
  return { mounts: mounts.filter((mount) => !isOpenAbove(mount)), links: [...links] };
}

function systemGrants({ home, secrets, isRoot }: GrantOptions): Grant[] {
  const closed = [home.root, ...secrets].map(realPlace);
  const open = (right: Right, paths: readonly string[], but: readonly string[] = []): Grant[] =>
    [...new Set(paths.flatMap((path) => realPath(path) ?? []))]
      .flatMap((path) => openAround(path, [...closed, ...but]))
      .map((path) => ({ path, right }));
  return [
    ...open("read", [...PROGRAMS, ...RUNNING, ...linkTargets()]),
    ...SETTINGS.map((path): Grant => ({ path, right: "read" })),
    ...open("device", ["/dev"], isRoot ? rawDevices() : []),
    ...open("shared", SHARED),
  ];
}

function linkTargets(): string[] {
  return LINKED.flatMap((path) => {
    const real = realPath(path);
    const folder = real === undefined ? "/" : dirname(real);
    return WIDE.test(folder) || SETTINGS.some((settings) => isWithin(folder, settings)) ? [] : [folder];
  });
}

function rawDevices(): string[] {
  return entriesOf("/dev")
    .filter((name) => RAW.test(name) || statSync(`/dev/${name}`, { throwIfNoEntry: false })?.isBlockDevice())
    .map((name) => `/dev/${name}`);
}

function ownFolder(options: GrantOptions): string {
  const { root } = options.home.plugin(options.entry.id);
  const real = realPlace(root);
  const hubs = hubFileUnder(real, "write", options);
  if (hubs === undefined) return real;
  throw new HubError(
    "config",
    `the plugin's own folder ${root} leads to ${hubs}, which belongs to the hub: make it a folder`,
  );
}

// Its own folder is open anyway, and a link in there was made by the plugin, not by the person who wrote the entry.
function programPlace(options: GrantOptions): Grant[] {
  const { entry, home, binary } = options;
  const real = realPath(binary);
  if (real === undefined || isWithin(binary, home.plugin(entry.id).root)) return [];
  const folder = dirname(real);
  if (!WIDE.test(folder) && hubFileUnder(folder, "read", options) === undefined)
    return [{ path: folder, right: "read" }];
  const file: Grant = { path: real, right: "read" };
  // Bun lists the folder of a script; it sees only the names there.
  return isScript(real) ? [file, { path: folder, right: "list" }] : [file];
}

// Only this file: those beside it may belong to other plugins or to the hub.
function configFile({ entry, home, config, secrets }: GrantOptions): Grant[] {
  const real = realPath(config);
  if (real === undefined || isWithin(config, home.plugin(entry.id).root) || statSync(real).isDirectory()) return [];
  const closed = [home.hubToml, home.modesToml, home.data, home.rules, ...secrets].map(realPlace);
  return closed.some((path) => isWithin(real, path)) ? [] : [{ path: real, right: "write" }];
}

/** Undefined when it does not exist. */
function askedPath(options: GrantOptions, list: "read" | "write", named: string): string | undefined {
  const path = options.home.resolve(named);
  const hubs = hubFileUnder(realPlace(path), list, options);
  if (hubs === undefined) return realPath(path);
  throw new HubError(
    "config",
    `${list} = ["${named}"] would open ${hubs}, which stays closed to plugins: keep what it needs in plugins/${options.entry.id}/ or in a folder of its own`,
  );
}

/** A file or folder of the hub that the path would open. Paths inside a folder of backups are allowed, as it may contain other files. */
function hubFileUnder(path: string, list: "read" | "write", { home, secrets }: GrantOptions): string | undefined {
  const hubs = [home.config, home.data, home.rules, ...(list === "write" ? [home.bin, home.logs] : [])].map(realPlace);
  const own = hubs.find((closed) => isWithin(path, closed) || isWithin(closed, path));
  return own ?? secrets.map(realPlace).find((secret) => isWithin(secret, path));
}
