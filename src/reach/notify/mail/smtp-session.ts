// One SMTP session with one mail: connect, log in where the server offers it, hand the mail over, read what it says.
import type { Readable } from "node:stream";
import SmtpConnection, { type SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import type { Fence } from "../../../kit/lifecycle/fence.ts";

export interface SmtpSession {
  options: SMTPConnectionOptions;
  login: { user: string; pass: string } | undefined;
  from: string;
  to: readonly string[];
  mail: Readable;
  /** Called when the mail is sent to its end, the final dot: from here on the server may have accepted it. */
  handedOver: () => void;
  /** Once it is closed, the session is cut before its next step. */
  fence?: Fence | undefined;
}

export interface SmtpAnswer {
  /** To the final dot. */
  response: string;
  rejected: readonly RejectedRecipient[];
  /** The server offers no login, so none was made although one is configured. */
  withoutLogin: boolean;
}

export interface RejectedRecipient {
  recipient?: string | undefined;
  response?: string | undefined;
  responseCode?: number | undefined;
}

/** Rejects with nodemailer's errors, to which it adds `withoutLogin`, or with the signal's reason. */
export async function runSession(session: SmtpSession, signal: AbortSignal): Promise<SmtpAnswer> {
  const { options, login, fence } = session;
  const connection = new SmtpConnection(options);
  const broken = Promise.withResolvers<never>();
  const abort = (): void => broken.reject(signal.reason);
  connection.on("error", broken.reject);
  signal.addEventListener("abort", abort, { once: true });
  const cut = (error: unknown): void => {
    connection.close();
    broken.reject(error);
  };
  let withoutLogin = false;

  async function talk(): Promise<SmtpAnswer> {
    await answered<void>((done) => connection.connect(done));
    fence?.assertOpen();
    withoutLogin = login !== undefined && !connection.allowsAuth;
    if (login && !withoutLogin) await answered((done) => connection.login({ credentials: login }, done));
    fence?.assertOpen();
    return { ...(await handOver(connection, session, cut)), withoutLogin };
  }

  try {
    return await Promise.race([talk(), broken.promise]);
  } catch (error) {
    throw withoutLogin && error instanceof Error ? Object.assign(error, { withoutLogin }) : error;
  } finally {
    signal.removeEventListener("abort", abort);
    connection.close();
  }
}

async function handOver(
  connection: SmtpConnection,
  { from, to, mail, handedOver, fence }: SmtpSession,
  cut: (error: unknown) => void,
) {
  // nodemailer writes the dot as soon as the mail's stream has ended.
  mail.once("end", () => {
    try {
      fence?.assertOpen();
      handedOver();
    } catch (error) {
      cut(error);
    }
  });
  const info = await answered<{ response: string; rejectedErrors?: RejectedRecipient[] | undefined }>((done) =>
    connection.send({ from, to: [...to] }, mail, done),
  );
  return { response: info.response, rejected: info.rejectedErrors ?? [] };
}

function answered<T>(ask: (done: (error?: Error | null, answer?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => ask((error, answer) => (error ? reject(error) : resolve(answer as T))));
}
