// A login by SSH, and what goes wrong with it in words. The server's key is the one in the configuration, or the first one that was seen.
import { readFileSync } from "node:fs";
import type { Static } from "@sinclair/typebox";
import type { Client, SFTPWrapper } from "ssh2";
import { HubError, messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import { addressOf, type SftpTarget } from "../config.ts";
import type { OpenOptions } from "../storage.ts";
import { networkWords } from "./network-words.ts";

type Target = Static<typeof SftpTarget>;

const LOGIN_WITHIN_MS = 30_000;
const KEEPALIVE_MS = 15_000;
/** Statuses of the protocol. */
const NO_SUCH_FILE = 2;
const PERMISSION_DENIED = 3;
const FAILURE = 4;

/** `lost` rejects when the connection ends. Throws HubError. */
export async function connectSftp(target: Target, { resolve, known }: OpenOptions) {
  const { host, port, username, password, key_passphrase } = target;
  const key = keyOf(target, resolve);
  const { Client } = await import("ssh2");
  const client: Client = new Client();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  const ready = new Promise<void>((done) => client.on("ready", done));
  let seen = "";
  client.on("error", (error) => reject(inWords(target, error)));
  client.on("close", () => reject(failed(target, "the connection was cut")));
  // Some servers ask for the password in a dialogue.
  client.on("keyboard-interactive", (_name, _instructions, _language, prompts, finish) =>
    finish(prompts.map(() => password ?? "")),
  );
  try {
    client.connect({
      host,
      port,
      username,
      readyTimeout: LOGIN_WITHIN_MS,
      keepaliveInterval: KEEPALIVE_MS,
      tryKeyboard: password !== undefined,
      ...(password === undefined ? {} : { password }),
      ...(key === undefined ? {} : { privateKey: key }),
      ...(key_passphrase === undefined ? {} : { passphrase: key_passphrase }),
      hostVerifier(key: Buffer) {
        seen = `SHA256:${new Bun.CryptoHasher("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
        const expected = (target.host_key ?? known.hostKey)?.replace(/=+$/, "");
        if (expected !== undefined && expected !== seen) {
          reject(failed(target, changedKey(seen, expected)));
          return false;
        }
        known.hostKey = seen;
        return true;
      },
    });
    await Promise.race([lost, ready]);
    const sftp = await Promise.race([
      lost,
      new Promise<SFTPWrapper>((done, no) => client.sftp((error, opened) => (error ? no(error) : done(opened)))),
    ]);
    return { client, sftp, lost };
  } catch (error) {
    client.end();
    throw inWords(target, error);
  }
}

function changedKey(seen: string, expected: string): string {
  return `the server's key is ${seen}, and was ${expected}: it may be another server. If you have changed it yourself, set host_key = "${seen}"`;
}

function keyOf(target: Target, resolve: (path: string) => string): string | undefined {
  if (target.key !== undefined || target.key_file === undefined) return target.key;
  try {
    return readFileSync(resolve(target.key_file), "utf8");
  } catch (error) {
    throw failed(target, `key_file cannot be read: ${messageOf(error)}`);
  }
}

export function statusOf(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "number" ? code : undefined;
}

export const failed = (target: Target, what: string): HubError =>
  new HubError("upstream_failed", `${addressOf(target)}: ${what}`);

export function inWords(target: Target, error: unknown): HubError {
  if (error instanceof HubError) return error;
  const status = statusOf(error);
  if (status === NO_SUCH_FILE) return new HubError("not_found", `it is not in ${addressOf(target)}`);
  return failed(target, meaningOf(error, status));
}

function meaningOf(error: unknown, status: number | undefined): string {
  const { level } = error as { level?: unknown };
  if (level === "client-authentication") return "the username, the password or the key is wrong";
  if (level === "client-timeout") return `no answer in ${LOGIN_WITHIN_MS / 1000} s`;
  if (status === PERMISSION_DENIED) return "the login may not do that: give it the right to write there";
  if (status === FAILURE) return `the server says only "${messageOf(error)}": its disk may be full`;
  return networkWords(systemCode(error) ?? "") ?? messageOf(error).slice(0, 200);
}
