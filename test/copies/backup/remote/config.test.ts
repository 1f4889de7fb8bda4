// [[backup.targets]]: what is wrong with one leaves it out, and nothing else.
import { describe, expect, test } from "bun:test";
import { checkConfig } from "../../../../src/app/config/load.ts";
import { maskConfig } from "../../../../src/app/config/masked-text.ts";
import { parseRecoverySheet, recoverySheet, targetNamed } from "../../../../src/copies/backup/remote/recovery-sheet.ts";

const FOLDER = '[[backup.targets]]\ntype = "folder"\nname = "stick"\ndirectory = "/mnt/usb"\n';
const SFTP = `[[backup.targets]]
type = "sftp"
name = "nas"
host = "nas.local"
username = "backup"
key = """
-----BEGIN KEY-----
the key itself
-----END KEY-----
"""
`;
const textOf = (backup: string): string => `[auth]\njwt_secret = "${"x".repeat(48)}"\n${backup}`;
const check = (backup: string) => checkConfig(textOf(backup));

describe("a target is left out, with the reason, where", () => {
  test.each([
    ["backups are not encrypted", `[backup]\n${FOLDER}`, "set [backup] passphrase"],
    [
      "its type is unknown",
      `[backup]\npassphrase = "long enough"\n[[backup.targets]]\ntype = "ftp"\nname = "x"\n`,
      "must be one of",
    ],
    [
      "a key is missing",
      `[backup]\npassphrase = "long enough"\n[[backup.targets]]\ntype = "s3"\nname = "x"\n`,
      "missing",
    ],
    ["its name is another's", `[backup]\npassphrase = "long enough"\n${FOLDER}${FOLDER}`, "another target's name"],
    [
      "nothing logs in",
      `[backup]\npassphrase = "long enough"\n${SFTP.slice(0, SFTP.indexOf("key = "))}`,
      "password or key_file",
    ],
    ["its prefix leads out", `[backup]\npassphrase = "long enough"\n${SFTP}prefix = "a/../b"\n`, "without .. in it"],
  ])("%s", (_why, toml, words) => {
    const { config, problems } = check(toml);
    expect(problems.map(({ message }) => message).join()).toContain(words);
    expect(problems.map(({ message }) => message).join()).toContain("nothing is copied there");
    // The others stay, and so do the backups themselves.
    expect(config?.backup.targets.length).toBe(toml.includes("another") || toml.split("[[").length > 2 ? 1 : 0);
    expect(config?.backup.keep).toBe(7);
  });
});

test("without TLS the password can be read on the way, which is a warning", () => {
  const webdav =
    '[[backup.targets]]\ntype = "webdav"\nname = "x"\nurl = "http://nas.local/dav"\nusername = "a"\npassword = "b"\n';
  const { config, problems } = check(`[backup]\npassphrase = "long enough"\n${webdav}`);
  expect(problems).toEqual([expect.objectContaining({ path: "backup.targets[0].url", warning: true })]);
  expect(config?.backup.targets).toHaveLength(1);
});

test("whoever sees the configuration sees no secret of a target", () => {
  const s3 =
    '[[backup.targets]]\ntype = "s3"\nname = "x"\nbucket = "b"\naccess_key_id = "PUBLIC"\nsecret_access_key = "PRIVATE"\n';
  const masked = maskConfig(textOf(`[backup]\npassphrase = "PRIVATE WORDS"\n${s3}${SFTP}key_passphrase = "PRIVATE"\n`));
  const shown = masked.ok ? masked.text : "";
  expect(shown).toContain("PUBLIC");
  expect(shown).not.toContain("PRIVATE");
  expect(shown).not.toContain("the key itself");
});

test("the recovery sheet brings back what it was made of, with the key of the server that was seen", () => {
  const { config } = check(`[backup]\npassphrase = "quoted \\" and ünïcode"\n${SFTP}${FOLDER}`);
  const { passphrase, targets } = config?.backup ?? { passphrase: undefined, targets: [] };
  const hostKey = `SHA256:${"A".repeat(43)}`;
  const text = recoverySheet({
    ...{ house: "hub-abcdefghij", passphrase, targets, at: "2026-11-23T02:30:00Z" },
    resolve: (path) => path,
    known: ({ type }) => (type === "sftp" ? { hostKey } : {}),
  });
  const sheet = parseRecoverySheet(text);
  expect(sheet).toMatchObject({ house: "hub-abcdefghij", passphrase });
  expect(targetNamed(sheet.targets, "nas")).toEqual({ ...targetNamed(targets, "nas"), host_key: hostKey } as never);
  expect(targetNamed(sheet.targets, "stick")).toEqual(targetNamed(targets, "stick"));
  expect(() => targetNamed(sheet.targets, "cloud")).toThrow("there are nas, stick");
});
