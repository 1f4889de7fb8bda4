// The Debian package as other programs read it. test/interop/packages.sh installs it.
import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { debName, makeDeb } from "../../../src/app/release/deb.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const root = resolve(import.meta.dir, "..", "..", "..");

async function packageOf(version: string, program: string): Promise<Uint8Array> {
  using folder = createTemporaryFolder();
  const executable = folder.at("hub");
  await Bun.write(executable, program);
  return makeDeb({ root, executable, architecture: "arm64", version });
}

/** Name → content of the members of an `ar` archive. */
function membersOf(deb: Uint8Array): Map<string, Buffer> {
  const bytes = Buffer.from(deb);
  expect(bytes.subarray(0, 8).toString()).toBe("!<arch>\n");
  const members = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const header = bytes.subarray(at, at + 60).toString();
    expect(header.slice(58)).toBe("`\n");
    const size = Number(header.slice(48, 58));
    members.set(header.slice(0, 16).trim(), bytes.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return members;
}

async function filesOf(member: Buffer | undefined) {
  const entries = await unpackTar(gunzipSync(member ?? Buffer.of()), { strict: true });
  return new Map(
    entries.map(({ header, data }) => [
      header.name,
      { header, bytes: data ?? Buffer.of(), text: Buffer.from(data ?? []).toString() },
    ]),
  );
}

test("the package has the program, a command and the scripts that make it a service", async () => {
  const members = membersOf(await packageOf("1.2.3", "the program, of an odd length"));
  expect([...members.keys()]).toEqual(["debian-binary", "control.tar.gz", "data.tar.gz"]);
  expect(members.get("debian-binary")?.toString()).toBe("2.0\n");

  const data = await filesOf(members.get("data.tar.gz"));
  expect(data.get("./usr/lib/home-hub/hub")).toMatchObject({
    header: { mode: 0o755, uid: 0, gid: 0 },
    text: "the program, of an odd length",
  });
  expect(data.get("./usr/bin/home-hub")?.header).toMatchObject({ type: "symlink", linkname: "../lib/home-hub/hub" });
  const manual = gunzipSync(data.get("./usr/share/man/man1/home-hub-device.1.gz")?.bytes ?? Buffer.of()).toString();
  expect(manual).toContain(".B home\\-hub device\n");
  // Each folder comes before what lies in it.
  const names = [...data.keys()];
  expect(names.indexOf("./usr/")).toBeLessThan(names.indexOf("./usr/lib/home-hub/"));

  const control = await filesOf(members.get("control.tar.gz"));
  expect(control.get("./control")?.text).toContain("Package: home-hub\nVersion: 1.2.3\nArchitecture: arm64\n");
  for (const script of ["postinst", "prerm", "postrm"]) {
    expect(control.get(`./${script}`)?.header.mode).toBe(0o755);
    expect(control.get(`./${script}`)?.text).toStartWith("#!/bin/sh\n");
  }
  const md5 = new Bun.CryptoHasher("md5").update("the program, of an odd length").digest("hex");
  expect(control.get("./md5sums")?.text).toContain(`${md5}  usr/lib/home-hub/hub\n`);
});

test("the same release gives the same bytes", async () => {
  expect(await packageOf("1.0.0", "hub")).toEqual(await packageOf("1.0.0", "hub"));
});

test("a pre-release sorts before its release", async () => {
  expect(debName({ version: "1.0.0-beta.1", architecture: "amd64" })).toBe("home-hub_1.0.0~beta.1_amd64.deb");
  const control = await filesOf(membersOf(await packageOf("1.0.0-beta.1", "hub")).get("control.tar.gz"));
  expect(control.get("./control")?.text).toContain("Version: 1.0.0~beta.1\n");
});
