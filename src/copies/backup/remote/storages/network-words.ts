// What connections fail with, by the codes of Bun and of the system, in words that say what to do.

const NOBODY = "nobody answers there";
const NO_HOST = "there is no such host, or no network";
const NO_WAY = "there is no way to this address";
const CUT = "the connection was cut";

const WORDS: Readonly<Record<string, string>> = {
  ConnectionRefused: NOBODY,
  ECONNREFUSED: NOBODY,
  ENOTFOUND: NO_HOST,
  EAI_AGAIN: NO_HOST,
  DNSResolveFailed: NO_HOST,
  FailedToOpenSocket: NO_WAY,
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ConnectionClosed: CUT,
  ECONNRESET: CUT,
  EPIPE: CUT,
  Timeout: "it does not answer in time",
  TimeoutError: "it does not answer in time",
  ETIMEDOUT: "it does not answer in time",
  CERT_HAS_EXPIRED: "its certificate has expired: whoever runs it has to renew it",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: this machine's clock is wrong, or that one's",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority of its own",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted by this machine",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is not trusted by this machine",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not trusted by this machine",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

/** Undefined for a code that there are no words for. */
export function networkWords(code: string): string | undefined {
  return WORDS[code];
}

/** Whether it is a certificate that whoever knows the server can vouch for. */
export function isUntrusted(code: string): boolean {
  return /SELF_SIGNED|UNABLE_TO/.test(code);
}
