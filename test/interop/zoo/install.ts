// Where the programs of the zoo are: from PyPI in a Python of their own, in a folder that is named after what is in it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REQUIREMENTS = join(import.meta.dir, "requirements.txt");
const INSTALL_MS = 300_000;

function mustRun(command: readonly string[]): void {
  const ran = Bun.spawnSync([...command], { stdout: "ignore", stderr: "pipe", timeout: INSTALL_MS });
  if (ran.exitCode !== 0) throw new Error(`${command.slice(0, 4).join(" ")}: ${ran.stderr.toString().slice(-1000)}`);
}

/** Python 3.11 or later, with venv: what the programs need. */
function findPython(): string | undefined {
  const script = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
  return ["python3", "/usr/bin/python3", "python3.13", "python3.12", "python3.11"].find((one) => {
    const path = Bun.which(one);
    return path !== null && Bun.spawnSync([path, "-c", script], { stderr: "ignore" }).exitCode === 0;
  });
}

/** The folder of their executables. ZOO_FOLDER says where they are kept from one run to the next. */
export function installPrograms(): string {
  const sum = new Bun.CryptoHasher("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  const folder = join(process.env.ZOO_FOLDER ?? join(tmpdir(), "hub-zoo"), sum);
  const bin = join(folder, "bin");
  if (existsSync(join(folder, "complete"))) return bin;
  const python = findPython();
  if (python === undefined) throw new Error("no Python 3.11 with venv: apt-get install python3-venv");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  mustRun([python, "-m", "venv", folder]);
  // Each of them is pinned, with all that they need.
  const how = ["--quiet", "--disable-pip-version-check", "--prefer-binary", "--no-deps", "--requirement", REQUIREMENTS];
  mustRun([join(bin, "pip"), "install", ...how]);
  writeFileSync(join(folder, "complete"), "");
  return bin;
}
