// A Debian package of the executable, made without Debian's own tools, so that every machine that builds a release can make it:
// an `ar` archive that holds two tar files. build.ts alone uses it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";
import { SCRIPTS as COMPLETIONS } from "../cli/completion/scripts.ts";
import { commands } from "../cli/index.ts";
import { manPages } from "../cli/man.ts";

/** Debian has another program called hub, so the package and its command have a name of their own. */
const PACKAGE = "home-hub";

export interface DebOptions {
  /** The repository. */
  root: string;
  /** The compiled hub for this architecture. */
  executable: string;
  architecture: "amd64" | "arm64";
  /** Of the hub; a pre-release such as `1.0.0-beta.1` sorts before `1.0.0`. */
  version: string;
}

const PROGRAM = `usr/lib/${PACKAGE}/hub`;
/** Where shells look for how a command is completed. */
const COMPLETED_BY = {
  bash: `usr/share/bash-completion/completions/${PACKAGE}`,
  zsh: `usr/share/zsh/vendor-completions/_${PACKAGE}`,
  fish: `usr/share/fish/vendor_completions.d/${PACKAGE}.fish`,
};
const SCRIPTS = ["postinst", "prerm", "postrm"] as const;
// The same release gives the same bytes, whenever it is built.
const MADE_AT = new Date("2026-01-01T00:00:00Z");

export function debName({ version, architecture }: Pick<DebOptions, "version" | "architecture">): string {
  return `${PACKAGE}_${debianVersion(version)}_${architecture}.deb`;
}

/** The bytes of the package. */
export async function makeDeb(options: DebOptions): Promise<Uint8Array> {
  const data = [...dataFiles(options), ...(await manFiles())];
  const control = controlFiles(options, data);
  const members: [string, Uint8Array][] = [
    ["debian-binary", Buffer.from("2.0\n")],
    ["control.tar.gz", await tarOf(control)],
    ["data.tar.gz", await tarOf(data)],
  ];
  return Buffer.concat([Buffer.from("!<arch>\n"), ...members.flatMap(([name, bytes]) => member(name, bytes))]);
}

interface PackedFile {
  name: string;
  mode: number;
  bytes?: Uint8Array;
  link?: string;
}

function dataFiles({ root, executable, version }: DebOptions): PackedFile[] {
  const docs = `usr/share/doc/${PACKAGE}`;
  const about = (name: string) => readFileSync(join(root, name));
  return [
    { name: PROGRAM, mode: 0o755, bytes: readFileSync(executable) },
    { name: `usr/bin/${PACKAGE}`, mode: 0o777, link: `../lib/${PACKAGE}/hub` },
    ...Object.entries(COMPLETED_BY).map(([shell, name]) => ({
      ...{ name, mode: 0o644 },
      bytes: Buffer.from(COMPLETIONS[shell]?.(PACKAGE) ?? ""),
    })),
    { name: `${docs}/copyright`, mode: 0o644, bytes: about("LICENSE") },
    { name: `${docs}/changelog.gz`, mode: 0o644, bytes: gzipSync(about("CHANGELOG.md"), { level: 9 }) },
    { name: `${docs}/README.Debian`, mode: 0o644, bytes: Buffer.from(readmeOf(version)) },
  ];
}

async function manFiles(): Promise<PackedFile[]> {
  return [...(await manPages(commands, PACKAGE))].map(([name, page]) => ({
    ...{ name: `usr/share/man/man1/${name}.1.gz`, mode: 0o644 },
    bytes: gzipSync(page, { level: 9 }),
  }));
}

function controlFiles({ version, architecture }: DebOptions, data: readonly PackedFile[]): PackedFile[] {
  const bytes = data.reduce((sum, file) => sum + (file.bytes?.length ?? 0), 0);
  const control = `Package: ${PACKAGE}
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: the makers of the hub <root@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.17), passwd
Recommends: systemd
Section: misc
Priority: optional
Description: home-automation hub in one file
 MQTT broker, devices, rules, history, messages, backups and a page for the
 family. The house lives in /opt/hub and runs as the service hub.
`;
  const sums = data.flatMap(({ name, bytes: content }) =>
    content ? [`${new Bun.CryptoHasher("md5").update(content).digest("hex")}  ${name}\n`] : [],
  );
  return [
    { name: "control", mode: 0o644, bytes: Buffer.from(control) },
    { name: "md5sums", mode: 0o644, bytes: Buffer.from(sums.join("")) },
    ...SCRIPTS.map((name) => ({
      name,
      mode: 0o755,
      bytes: readFileSync(join(import.meta.dir, "debian", `${name}.sh`)),
    })),
  ];
}

async function tarOf(files: readonly PackedFile[]): Promise<Uint8Array> {
  const folders = new Set(files.flatMap(({ name }) => parentsOf(name)));
  const owned = { uid: 0, gid: 0, uname: "root", gname: "root", mtime: MADE_AT };
  const entries: TarEntry[] = [
    ...["", ...[...folders].sort()].map(
      (folder): TarEntry => ({ header: { ...owned, name: `./${folder}`, size: 0, type: "directory", mode: 0o755 } }),
    ),
    ...files.map(({ name, mode, bytes, link }): TarEntry => {
      const header = { ...owned, name: `./${name}`, mode, size: bytes?.length ?? 0 };
      return link === undefined
        ? { header: { ...header, type: "file" }, body: bytes }
        : { header: { ...header, type: "symlink", linkname: link } };
    }),
  ];
  return gzipSync(await packTar(entries), { level: 9 });
}

/** `a/b/c` lies in `a/` and `a/b/`. */
function parentsOf(name: string): string[] {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join("/")}/`);
}

/** A member of an `ar` archive: its header has columns of fixed width, and content of an odd length is padded. */
function member(name: string, bytes: Uint8Array): Uint8Array[] {
  const seconds = String(MADE_AT.getTime() / 1000);
  const columns = [name.padEnd(16), seconds.padEnd(12), "0".padEnd(6), "0".padEnd(6), "100644".padEnd(8)];
  const header = `${columns.join("")}${String(bytes.length).padEnd(10)}\`\n`;
  return [Buffer.from(header), bytes, Buffer.from(bytes.length % 2 === 0 ? "" : "\n")];
}

function debianVersion(version: string): string {
  return version.replace("-", "~");
}

function readmeOf(version: string): string {
  return `The hub ${version}

Where docs and messages say \`hub\`, the command of this package is \`${PACKAGE}\`, as in \`sudo ${PACKAGE} passwd\`.
The house is in /opt/hub. The service runs /opt/hub/bin/hub, a copy of /${PROGRAM}, so that the hub can be
upgraded and go back without the package as well. The administrator's password of the first start:
\`sudo journalctl -u hub\`. Removing the package, even by purging it, leaves the house where it is.
`;
}
