// Why a mail was refused, from what nodemailer throws on Bun: a hint for the person, and whether a later try may succeed.
import { messageOf, systemCode } from "../../../kit/schema/errors.ts";
import { DeliveryError, type DeliveryFault } from "../channel.ts";
import { wordsOf } from "../http/web-service.ts";

export const HINTS = {
  refused: "Likely wrong SMTP host or port",
  authentication: "Likely wrong username or password; an application password may be needed",
  tls: "Use `starttls = true` for port 587 or `tls = true` for port 465",
  relay: "The SMTP server requires authentication; check username and password",
  noLogin: "This port offers no login: use the server's port for submission (587 or 465), or leave smtp.username empty",
  certificate:
    "The server's certificate is not valid for this host; smtp.tls_ca can name the file of the authority that signed it",
} as const;

export interface SmtpPlace {
  host: string;
  port: number;
  tls: boolean;
}

/** What nodemailer 10.6 adds to an error. */
interface SmtpFault {
  /** The code of the system or of OpenSSL, which nodemailer replaced by its own. */
  originalCode?: string;
  responseCode?: number;
  response?: string;
  timeoutType?: string;
  /** The SMTP command in flight. */
  command?: string;
  /** A login is configured, and the server offers none. */
  withoutLogin?: boolean;
}

export function smtpFailure(error: unknown, place: SmtpPlace): DeliveryError {
  const fault = (error ?? {}) as SmtpFault;
  const { responseCode: status, response } = fault;
  const code = systemCode(error) ?? "";
  const { what, hint } = diagnose(code, fault, place);
  const found: DeliveryFault = {
    transient: isTransient(code, status),
    ...(mayBeTheMessage(code, status) ? { mayBeTheMessage: true } : {}),
    ...(hint ? { hint } : {}),
    ...(status ? { status } : {}),
    answer: wordsOf(response ?? messageOf(error)),
  };
  const noLogin = fault.withoutLogin ? "the server offers no login (AUTH), so the configured one was not used; " : "";
  return new DeliveryError(`${place.host}:${place.port}: ${noLogin}${what}: ${found.answer}`, found);
}

// Only the server's answer to this message or login is final; a connection that failed may succeed later.
function isTransient(code: string, status: number | undefined): boolean {
  if (code === "ETLS" || status === undefined) return code !== "EMESSAGE" && code !== "EENVELOPE";
  return status < 500;
}

// A temporary refusal of the mail's text; 421 says that the server is about to close.
function mayBeTheMessage(code: string, status = 0): boolean {
  return code === "EMESSAGE" && status >= 400 && status < 500 && status !== 421;
}

function diagnose(code: string, fault: SmtpFault, { tls }: SmtpPlace): { what: string; hint?: string } {
  const { originalCode = "", responseCode = 0, timeoutType, response = "", command = "" } = fault;
  if (/CERT|SIGNATURE|ALTNAME|SELF_SIGNED/.test(originalCode)) {
    return { what: "the certificate is refused", hint: HINTS.certificate };
  }
  if (code === "ETLS" || /SSL|TLS|EPROTO/.test(originalCode)) return { what: "TLS handshake failed", hint: HINTS.tls };
  if (code === "EDNS" || /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(originalCode)) {
    return { what: "connection refused", hint: HINTS.refused };
  }
  // RFC 3207 and RFC 4954: it accepts no login without encryption.
  if ([530, 538].includes(responseCode) && /starttls|encrypt/i.test(response)) {
    return { what: "the server wants TLS first", hint: HINTS.tls };
  }
  if (code === "EAUTH") return { what: "authentication failed", hint: HINTS.authentication };
  if (timeoutType === "GREETING_TIMEOUT" || timeoutType === "CONNECT_TIMEOUT") {
    // A port that expects TLS at once is as silent to plain text as a host that does not exist.
    return { what: "no greeting", hint: tls ? HINTS.refused : `${HINTS.tls}; if it is that already: ${HINTS.refused}` };
  }
  if (code === "EPROTOCOL" && responseCode === 0) return { what: "the answer is not SMTP", hint: HINTS.refused };
  const refusesStrangers = responseCode === 530 || /relay|authenticat|not permitted|access denied/i.test(response);
  if (code === "EENVELOPE" && responseCode >= 500 && refusesStrangers) {
    return { what: "relay denied", hint: HINTS.relay };
  }
  const what = command && responseCode > 0 ? `${command} refused` : "the connection broke";
  return { what, ...(fault.withoutLogin && responseCode > 0 && { hint: HINTS.noLogin }) };
}
