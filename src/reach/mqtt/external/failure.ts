// Why there is no connection to the external broker, in sentences that say what to do. No sentence contains a password.
import { messageOf, systemCode } from "../../../kit/schema/errors.ts";

/**
 * `version`: it does not speak this version of MQTT. `closed`: it ended the connection without a word. `login`: it refuses the
 * account. `lacking`: it cannot do what the hub needs. `deaf`: it passes nothing on to the hub's session.
 */
export type FailureKind = "network" | "tls" | "files" | "version" | "closed" | "login" | "lacking" | "deaf";

export class ConnectError extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.name = "ConnectError";
    this.kind = kind;
  }
}

/** A publish that did not succeed. */
export class PublishError extends Error {
  /** `refused`: it never arrives. `unknown`: the connection ended before the broker acknowledged it. */
  readonly outcome: "refused" | "unknown";

  constructor(outcome: "refused" | "unknown", message: string) {
    super(message);
    this.name = "PublishError";
    this.outcome = outcome;
  }
}

/** Reason codes of CONNACK, of 3.1.1 and 5. */
const LOGIN = "check username and password of [mqtt]";
const REFUSALS: Readonly<Record<number, readonly [FailureKind, string]>> = {
  1: ["version", "it does not speak this version of MQTT"],
  2: ["login", "it does not accept the client id: set another [mqtt] client_id"],
  3: ["network", "it says that it is not available"],
  4: ["login", `wrong user name or password: ${LOGIN}`],
  5: ["login", `the account may not connect: ${LOGIN}, and the rights of the account at the broker`],
  132: ["version", "it does not speak this version of MQTT"],
  133: ["login", "it does not accept the client id: set another [mqtt] client_id"],
  134: ["login", `wrong user name or password: ${LOGIN}`],
  135: ["login", `the account may not connect: ${LOGIN}, and the rights of the account at the broker`],
  136: ["network", "it says that it is not available"],
  137: ["network", "it says that it is busy"],
  138: ["login", "it has banned this client"],
};

/** What stands in the code of an error or, of a WebSocket, in its text; the first that fits. An alert is what the broker says of the hub. */
const TLS: readonly (readonly [RegExp, string])[] = [
  [
    /ALERT_CERTIFICATE_REQUIRED/,
    "it wants a certificate of the hub: give one that the broker trusts, and its key, as [mqtt] cert and key",
  ],
  [/ALERT_CERTIFICATE_EXPIRED/, "it says that the hub's certificate has expired: renew [mqtt] cert"],
  [
    /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_REVOKED|CERTIFICATE_UNKNOWN|ACCESS_DENIED)/,
    "it does not trust the hub's certificate: have [mqtt] cert signed by whoever the broker trusts",
  ],
  [
    /CERT_HAS_EXPIRED|certificate has expired/,
    "its certificate has expired: renew it at the broker (and check the clocks of both machines)",
  ],
  [/CERT_NOT_YET_VALID|not yet valid/, "its certificate is not valid yet: check the clocks of both machines"],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|match certificate's altnames/,
    "its certificate is for another name: write that name in [mqtt] url",
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE|unable to (verify|get)|self.signed/,
    "its certificate is not signed by anybody the hub trusts: give the certificate of whoever signed it as [mqtt] ca",
  ],
];

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there: is the broker running, and is the port right?",
  ENOTFOUND: "there is no machine of that name: check [mqtt] url",
  EAI_AGAIN: "its name cannot be looked up now",
  EHOSTUNREACH: "the machine cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ECONNRESET: "it ended the connection at once",
  ETIMEDOUT: "the machine does not answer",
};

/** Any error of the library while connecting. */
export function connectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  const reason = (error as { code?: unknown } | null)?.code;
  if (typeof reason === "number") {
    const [kind, text] = REFUSALS[reason] ?? ["network", `it refuses the connection with code ${reason}`];
    return new ConnectError(kind, text);
  }
  const code = systemCode(error) ?? "";
  const text = messageOf(error);
  const tls = TLS.find(([sign]) => sign.test(`${code} ${text}`));
  if (tls) return new ConnectError("tls", tls[1]);
  const network = NETWORK[code];
  if (network !== undefined) return new ConnectError("network", network);
  if (/SSL|TLS|CERT|certificate/i.test(`${code} ${text}`))
    return new ConnectError(
      "tls",
      `the encrypted connection failed (${text}): is it the right port, and does it want a certificate of the hub?`,
    );
  if (text === "connack timeout") return new ConnectError("network", "it does not answer");
  return new ConnectError("network", text);
}

/** Reason codes with which a broker of MQTT 5 ends a connection. */
const ENDS: Readonly<Record<number, string>> = {
  139: "it is shutting down",
  141: "it did not hear of the hub in time",
  142: "another program logged in with the hub's client id",
  149: "a message was larger than it takes",
  150: "the hub sends too many messages for it",
  151: "a quota of the account is used up",
  152: "somebody ended the connection at the broker",
};
export const TAKEN_OVER = 142;

export function endText(code: number | undefined): string {
  if (code === undefined) return "the connection was lost";
  return ENDS[code] ?? `it ended the connection with code ${code}`;
}
