// Reads the certificate and the key of [server], once: what was checked is what is served.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { messageOf, systemCode } from "../../../kit/schema/errors.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import type { ServerSection } from "../config.ts";

export type ReadCertificate =
  | { ok: true; cert: string; key: string; validFrom: number; validTo: number }
  | { ok: false; problem: Problem };

const MAX_BYTES = 1024 * 1024;

/** Undefined where the configuration has none. Never throws. */
export function readCertificate(
  { tls_cert, tls_key }: Pick<ServerSection, "tls_cert" | "tls_key">,
  resolvePath: (path: string) => string,
): ReadCertificate | undefined {
  if (!tls_cert || !tls_key) return undefined;
  let at = "server.tls_cert";
  try {
    const cert = readPem(resolvePath(tls_cert));
    const leaf = parsed(tls_cert, "no certificate in PEM form", () => new X509Certificate(cert));
    at = "server.tls_key";
    const key = readPem(resolvePath(tls_key));
    if (!leaf.checkPrivateKey(readKey(tls_key, key)))
      return {
        ok: false,
        problem: { path: at, message: `${tls_key} is not the key of the certificate in ${tls_cert}` },
      };
    at = "server.tls_cert";
    const { createSecureContext } = process.getBuiltinModule("node:tls");
    // Checks the rest of the chain as well.
    parsed(tls_cert, "no complete chain of certificates", () => createSecureContext({ cert, key }));
    return { ok: true, cert, key, validFrom: Date.parse(leaf.validFrom), validTo: Date.parse(leaf.validTo) };
  } catch (error) {
    return { ok: false, problem: { path: at, message: messageOf(error) } };
  }
}

/** Expired or not valid yet. It is served all the same: the client's error message names the reason. */
export function timeProblem(read: ReadCertificate | undefined, now: number): Problem | undefined {
  if (!read?.ok) return undefined;
  const path = "server.tls_cert";
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  if (now > read.validTo)
    return { path, message: `the certificate expired on ${day(read.validTo)}: clients refuse it, renew it` };
  if (now < read.validFrom)
    return { path, message: `the certificate is valid from ${day(read.validFrom)} on: clients refuse it until then` };
  return undefined;
}

function readPem(path: string): string {
  try {
    const stat = statSync(path);
    // Reading a pipe could block for ever.
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error("it is not a file, or far too large");
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") throw new Error(`${path} does not exist`);
    if (systemCode(error) === "EACCES")
      throw new Error(`${path} cannot be read: give the hub's user the right to read it`);
    throw new Error(`${path} cannot be read: ${messageOf(error)}`);
  }
}

function readKey(path: string, pem: string): KeyObject {
  if (pem.includes("ENCRYPTED")) throw new Error(`${path} is encrypted: the hub reads keys without a passphrase only`);
  return parsed(path, "no private key in PEM form", () => createPrivateKey(pem));
}

function parsed<T>(path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Error(`${path} holds ${what}`);
  }
}
