// Signed links with which whoever got a message answers its notice without logging in: the id of the notice, the channel that the
// link was sent to, the moment when it ends and the answer it gives, with an HMAC over them.
import { createHmac, timingSafeEqual } from "node:crypto";
import { ACKNOWLEDGE } from "../channel.ts";

export interface LinkClaims {
  readonly notice: string;
  /** The channel through which the link was sent. */
  readonly channel: string;
  /** ACKNOWLEDGE, or the id of one of the notice's actions. */
  readonly action: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

export interface Links {
  /** A text for one segment of an address. */
  sign(claims: LinkClaims): string;
  /** Undefined for what this hub did not sign. Whether it has ended is for the caller to see. */
  read(token: string): LinkClaims | undefined;
}

const MAX_TOKEN = 600;
/** 128 bits. */
const SIGNATURE_BYTES = 16;

/** The key: at least 32 random bytes, kept for as long as links are to be valid. */
export function createLinks(key: () => Uint8Array): Links {
  const signature = (payload: string): Buffer =>
    createHmac("sha256", key()).update(`notice link\0${payload}`).digest().subarray(0, SIGNATURE_BYTES);

  return {
    sign({ notice, channel, action, expiresAt }) {
      const claims = [notice, channel, Math.floor(expiresAt / 1000), ...(action === ACKNOWLEDGE ? [] : [action])];
      const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
      return `${payload}.${signature(payload).toString("base64url")}`;
    },
    read(token) {
      const [payload = "", signed = "", ...more] = token.length <= MAX_TOKEN ? token.split(".") : [];
      const given = Buffer.from(signed, "base64url");
      const wanted = signature(payload);
      // base64url has several spellings of the same bytes: only ours counts.
      if (more.length > 0 || given.toString("base64url") !== signed || given.length !== wanted.length) return undefined;
      return timingSafeEqual(given, wanted) ? claimsIn(payload) : undefined;
    },
  };
}

function claimsIn(payload: string): LinkClaims | undefined {
  const [notice, channel, secs, action = ACKNOWLEDGE] = JSON.parse(
    Buffer.from(payload, "base64url").toString(),
  ) as unknown[];
  if (typeof notice !== "string" || typeof channel !== "string" || typeof action !== "string") return undefined;
  return typeof secs === "number" ? { notice, channel, action, expiresAt: secs * 1000 } : undefined;
}
