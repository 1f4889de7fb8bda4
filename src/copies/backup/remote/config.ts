// [[backup.targets]]: places elsewhere that get a copy of every backup.
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import type { Problem } from "../../../kit/schema/schema.ts";

const keep = (of: string, number: number, description: string) =>
  Type.Integer({ default: number, minimum: of === "daily" ? 1 : 0, maximum: 1000, description });

const shared = {
  name: Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}$",
    problem: "must be 1 to 64 letters, digits, dashes or underscores",
    description: "Its name in messages and on the command line",
  }),
  keep_daily: keep("daily", 7, "Of so many days that have a backup, the newest one is kept"),
  keep_weekly: keep("weekly", 4, "Of so many weeks as well"),
  keep_monthly: keep("monthly", 12, "Of so many months as well"),
  allow_unencrypted: Type.Boolean({
    default: false,
    description: "Copies backups that are not encrypted, too: whoever can read there has every secret of the house",
  }),
};

const prefix = (what: string) =>
  Type.String({
    default: "",
    // Without dots alone, so that nothing leads out of it.
    pattern: "^(?!.*(?:^|/)\\.{1,2}(?:/|$))[^\\\\\\x00-\\x1f]*$",
    maxLength: 500,
    problem: 'must be a path such as "backups/house", without .. in it',
    description: what,
  });

const text = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });
const secret = (description: string) => Type.String({ minLength: 1, maxLength: 500, secret: true, description });
const closed = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, title });
const authority = Type.Optional(text("Path of the certificate (PEM) that signed the server's, relative to HUB_HOME"));

export const S3Target = closed("S3", {
  type: Type.Literal("s3"),
  ...shared,
  bucket: text("It must exist"),
  endpoint: Type.Optional(
    Type.String({
      pattern: "^https?://[^/@?#\\s]+/?$",
      problem: "must be an address such as https://s3.example.com, without a path",
      description: "Where the service is; Amazon's for the region when absent",
    }),
  ),
  region: Type.String({ default: "us-east-1", minLength: 1, maxLength: 100, description: "As the service names it" }),
  prefix: prefix("Before all names in the bucket"),
  access_key_id: text("Of a key that may list, read, write and delete there"),
  secret_access_key: secret("Its secret"),
  path_style: Type.Boolean({
    default: true,
    description: "The bucket is a part of the path, as most services other than Amazon's want it; false: of the host",
  }),
  tls_ca: authority,
});

export const WebdavTarget = closed("WebDAV", {
  type: Type.Literal("webdav"),
  ...shared,
  url: Type.String({
    pattern: "^https?://[^/@?#\\s]+(/[^?#\\s]*)?$",
    problem: "must be an address such as https://cloud.example.com/remote.php/dav/files/anna, without a user in it",
    description: "A folder that exists",
  }),
  prefix: prefix("A folder in it, which is made"),
  username: text("Of the account there"),
  password: secret("Its password; better one for this program alone, which Nextcloud calls an app password"),
  tls_ca: authority,
});

export const SftpTarget = closed("SFTP", {
  type: Type.Literal("sftp"),
  ...shared,
  host: Type.String({
    pattern: "^[^\\s/@]+$",
    maxLength: 255,
    problem: 'must be a host such as "nas.local"',
    description: "Its name or address",
  }),
  port: Type.Integer({ default: 22, minimum: 1, maximum: 65_535, description: "Where its SSH server listens" }),
  prefix: prefix("A folder below the login's own, or a whole path; it is made"),
  username: text("Of the login there"),
  password: Type.Optional(secret("Its password, where there is no key")),
  key_file: Type.Optional(text("Path of the private key, relative to HUB_HOME: config/backup-key")),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 20_000,
      secret: true,
      description: "The private key itself, instead of key_file",
    }),
  ),
  key_passphrase: Type.Optional(secret("Of that key, where it has one")),
  host_key: Type.Optional(
    Type.String({
      pattern: "^SHA256:[A-Za-z0-9+/]{43}=?$",
      problem: "must be a fingerprint as ssh-keygen -l shows it: SHA256: and 43 characters",
      description: "The server's key; when absent, the first one seen is remembered and no other is accepted",
    }),
  ),
});

export const FolderTarget = closed("Folder", {
  type: Type.Literal("folder"),
  ...shared,
  directory: Type.String({
    pattern: "^/",
    problem: "must be a whole path, such as /mnt/usb/backups",
    description: "A folder of another disk or machine that is mounted there",
  }),
});

export const BackupTarget = Type.Union([S3Target, WebdavTarget, SftpTarget, FolderTarget]);
export type BackupTarget = Static<typeof BackupTarget>;

export const BackupTargets = Type.Array(BackupTarget, {
  default: [],
  maxItems: 10,
  expected: "a list of tables: write [[backup.targets]]",
});

/** Where it is, without secrets. */
export function addressOf(target: BackupTarget): string {
  switch (target.type) {
    case "s3":
      return [
        target.endpoint?.replace(/\/$/, "") ?? `Amazon S3 ${target.region}`,
        target.bucket,
        ...below(target),
      ].join("/");
    case "webdav":
      return [target.url.replace(/\/+$/, ""), ...below(target)].join("/");
    case "sftp":
      return `sftp://${target.username}@${target.host}${target.port === 22 ? "" : `:${target.port}`}/${trimmed(target.prefix)}`;
    case "folder":
      return target.directory;
  }
}

function below({ prefix }: { prefix: string }): string[] {
  return trimmed(prefix) === "" ? [] : [trimmed(prefix)];
}

export function trimmed(prefix: string): string {
  return prefix.split("/").filter(Boolean).join("/");
}

/** Problems that the schema cannot find. */
export function targetProblems(targets: readonly BackupTarget[], hasPassphrase: boolean): Problem[] {
  return targets.flatMap((target, index) => {
    const path = `backup.targets[${index}]`;
    const problems: Problem[] = [];
    if (targets.findIndex(({ name }) => name === target.name) < index)
      problems.push({ path: `${path}.name`, message: `"${target.name}" is another target's name` });
    if (!hasPassphrase && !target.allow_unencrypted)
      problems.push({
        path: `${path}.allow_unencrypted`,
        message:
          "backups leave the house encrypted: set [backup] passphrase and write it down, or set allow_unencrypted = true here",
      });
    if (target.type === "sftp" && [target.password, target.key_file, target.key].every((one) => one === undefined))
      problems.push({ path: `${path}.password`, message: "give either password or key_file" });
    const address = target.type === "webdav" ? target.url : target.type === "s3" ? target.endpoint : undefined;
    if (address !== undefined && !URL.canParse(address))
      problems.push({ path: `${path}.${target.type === "s3" ? "endpoint" : "url"}`, message: "is not an address" });
    else if (target.type === "webdav" && /^http:/.test(target.url) && !isHere(target.url))
      problems.push({
        path: `${path}.url`,
        message: "sends the password so that everybody on the way can read it: use https:// where the server has it",
        warning: true,
      });
    return problems;
  });
}

function isHere(url: string): boolean {
  return ["127.0.0.1", "[::1]", "localhost"].includes(new URL(url).hostname);
}
