// The answer to a Digest challenge: RFC 7616, with what older cameras leave out of it (RFC 2069). Written here as the npm packages for
// it know neither several challenges in one header nor a nonce that is over, and make their own random numbers.
import { createHash } from "node:crypto";
import type { Challenge } from "./challenge.ts";

export interface Login {
  readonly username: string;
  readonly password: string;
}

export interface DigestRequest {
  readonly method: string;
  /** The path and query as they are sent. */
  readonly uri: string;
  /** How often this nonce was used, this time included. */
  readonly count: number;
  /** The client's own random text. */
  readonly cnonce: string;
}

/** The stronger first. */
const ALGORITHMS = [
  { name: "sha-256", hash: "sha256" },
  { name: "md5", hash: "md5" },
] as const;
const SESSION = /-sess$/i;

/** How strong a challenge is that can be answered, 0 the strongest; undefined for one that cannot. */
export function digestRank({ scheme, parameters }: Challenge): number | undefined {
  if (scheme !== "digest" || parameters.nonce === undefined) return undefined;
  if (parameters.qop !== undefined && !tokensIn(parameters.qop).includes("auth")) return undefined;
  const rank = ALGORITHMS.findIndex(({ name }) => name === algorithmOf(parameters));
  return rank < 0 ? undefined : rank;
}

/** The value of `Authorization`, for a challenge that has a rank. */
export function digestAuthorization({ parameters }: Challenge, login: Login, request: DigestRequest): string {
  const { realm = "", nonce = "", opaque, algorithm, qop, userhash } = parameters;
  const { method, uri, cnonce } = request;
  const hash = hashOf(parameters);
  const user = hash(`${login.username}:${realm}:${login.password}`);
  const secret = SESSION.test(algorithm ?? "") ? hash(`${user}:${nonce}:${cnonce}`) : user;
  const count = request.count.toString(16).padStart(8, "0");
  const between = qop === undefined ? nonce : `${nonce}:${count}:${cnonce}:auth`;
  const isHashed = userhash?.toLowerCase() === "true";
  const fields = [
    `username=${quoted(isHashed ? hash(`${login.username}:${realm}`) : login.username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${hash(`${secret}:${between}:${hash(`${method}:${uri}`)}`)}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === undefined ? [] : ["qop=auth", `nc=${count}`]),
    ...(qop === undefined && !SESSION.test(algorithm ?? "") ? [] : [`cnonce=${quoted(cnonce)}`]),
    ...(isHashed ? ["userhash=true"] : []),
  ];
  // Headers are bytes: those of the text in UTF-8.
  return Buffer.from(`Digest ${fields.join(", ")}`).toString("latin1");
}

function algorithmOf({ algorithm = "MD5" }: Challenge["parameters"]): string {
  return algorithm.toLowerCase().replace(SESSION, "");
}

function hashOf(parameters: Challenge["parameters"]): (text: string) => string {
  const { hash } = ALGORITHMS.find(({ name }) => name === algorithmOf(parameters)) ?? ALGORITHMS[1];
  return (text) => createHash(hash).update(text).digest("hex");
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function tokensIn(list: string): string[] {
  return list.split(",").map((token) => token.trim().toLowerCase());
}
