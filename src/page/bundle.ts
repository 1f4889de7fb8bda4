// Builds the page for browsers and the help beside it: scripts and styles with hashed names, each compressed once and for all, in one
// file that the executable embeds.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type PackedFile, packed } from "../kit/files/pack.ts";
import { buildHelp, type HelpFile } from "./help/build.ts";
import { bundleTexts } from "./texts/bundle-texts.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};
// What is compressed already grows.
const COMPRESSED = new Set([".png"]);

interface Built {
  path: string;
  bytes: Uint8Array;
  /** Its name changes with its content. */
  hashed: boolean;
  /** What the page begins with, not a part that others load. */
  isEntry?: boolean;
}

/** Writes `dist/web/page.pack`. `root`: of the checkout. */
export async function bundlePage(root: string): Promise<void> {
  const source = join(root, "src", "page");
  const naming = "[name]-[hash].[ext]";
  const styles = await build([join(source, "styles.css"), join(source, "views.css")], { naming });
  const viewStyles = styles.find(({ path }) => path.startsWith("/views-"))?.path;
  const scripts = await build([join(source, "main.tsx")], {
    naming,
    plugins: [bundleTexts(join(source, "texts"))],
    define: { VIEW_STYLES: JSON.stringify(viewStyles) },
  });
  const app = [...styles, ...scripts];
  const index = indexOf(readFileSync(join(source, "index.html"), "utf8"), app);
  const define = {
    SHELL: JSON.stringify(versionOf([...app, index])),
    FILES: JSON.stringify(app.map(({ path }) => path)),
  };
  const worker = await build([join(source, "worker", "worker.ts")], { naming: "[name].[ext]", define });
  const still = readdirSync(join(source, "static")).map(
    (name): Built => ({ path: `/${name}`, bytes: readFileSync(join(source, "static", name)), hashed: false }),
  );
  const all = [...app, index, ...worker, ...still].map(compressed);
  const help = (await buildHelp(root)).map(compressedOnce);
  await Bun.write(join(root, "dist", "web", "page.pack"), packed([...all, ...help]));
}

async function build(
  entrypoints: string[],
  { naming, define = {}, plugins = [] }: { naming: string; define?: Record<string, string>; plugins?: Bun.BunPlugin[] },
): Promise<Built[]> {
  const built = await Bun.build({
    entrypoints,
    naming: { entry: naming, chunk: naming.replace("[name]", "part"), asset: naming },
    // Else each element brings what only a debugger reads.
    define: { "process.env.NODE_ENV": '"production"', ...define },
    plugins,
    publicPath: "/",
    target: "browser",
    splitting: true,
    minify: true,
  });
  if (!built.success) throw new AggregateError(built.logs, "bundling the page failed");
  return Promise.all(
    built.outputs.map(async (output) => ({
      path: `/${output.path.replace(/^\.\//, "")}`,
      bytes: new Uint8Array(await output.arrayBuffer()),
      hashed: naming.includes("[hash]"),
      isEntry: output.kind === "entry-point" || output.path.endsWith(".css"),
    })),
  );
}

/** With the hashed names in the place of the sources'. */
function indexOf(html: string, files: readonly Built[]): Built {
  const text = html.replace(/"\.\/(\w+)\.(tsx|css)"/g, function hashedName(_, name: string, extension: string) {
    const wanted = new RegExp(`^/${name}-\\w+\\.${extension === "tsx" ? "js" : extension}$`);
    const found = files.find(({ path, isEntry }) => isEntry && wanted.test(path));
    if (!found) throw new Error(`index.html names ${name}.${extension}, which is not built`);
    return `"${found.path}"`;
  });
  return { path: "/index.html", bytes: new TextEncoder().encode(text), hashed: false };
}

function versionOf(files: readonly Built[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const { path, bytes } of files) hash.update(path).update(bytes);
  return hash.digest("hex").slice(0, 16);
}

function compressed({ path, bytes, hashed }: Built): PackedFile {
  const extension = extname(path);
  const type = TYPES[extension];
  if (type === undefined) throw new Error(`${path}: no content type is known`);
  const etag = etagOf(bytes);
  if (COMPRESSED.has(extension)) return { path, type, etag, hashed, encodings: { identity: bytes } };
  const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return { path, type, etag, hashed, encodings: { identity: bytes, br, gzip: gzipSync(bytes, { level: 9 }) } };
}

/** Read now and then: the executable holds it once, as what every browser takes, also without TLS. */
function compressedOnce({ bytes, ...file }: HelpFile): PackedFile {
  return { ...file, etag: etagOf(bytes), encodings: { gzip: gzipSync(bytes, { level: 9 }) } };
}

function etagOf(bytes: Uint8Array): string {
  return `"${new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 20)}"`;
}
