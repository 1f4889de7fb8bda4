// Creates an authority and its certificate for "localhost", so that the repository contains no private key.
import { readFileSync } from "node:fs";
import type { TemporaryFolder } from "../../support/temporary-folder.ts";

export interface Certificates {
  /** Path of the authority's certificate. */
  authority: string;
  key: string;
  cert: string;
}

const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Needs the openssl command. */
export function createCertificates(folder: TemporaryFolder): Certificates {
  const at = (name: string): string => folder.at(name);
  openssl("req", "-x509", ...CURVE, "-keyout", at("ca.key"), "-out", at("ca.pem"), "-days", "2", "-subj", "/CN=Test");
  openssl(
    "req",
    ...CURVE,
    "-keyout",
    at("key"),
    "-out",
    at("csr"),
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost",
  );
  openssl(
    "x509",
    "-req",
    "-in",
    at("csr"),
    "-CA",
    at("ca.pem"),
    "-CAkey",
    at("ca.key"),
    "-CAcreateserial",
    "-days",
    "2",
    "-copy_extensions",
    "copy",
    "-out",
    at("cert"),
  );
  return { authority: at("ca.pem"), key: readFileSync(at("key"), "utf8"), cert: readFileSync(at("cert"), "utf8") };
}

function openssl(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { stderr: "pipe", stdout: "ignore" });
  if (exitCode !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
}
