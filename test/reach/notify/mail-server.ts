// A real SMTP server on this machine, which records the mails it received.
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { soon } from "../../support/wait.ts";

export const PASSWORD = "correct-horse-battery";

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
  secure: boolean;
  user: string | undefined;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: ReceivedMail[];
}

/**
 * Accepts mail after a login with PASSWORD, unless the options say otherwise. A mail counts as received at its final dot, which is
 * answered when `confirm` resolves.
 */
export async function serveMail(
  options: SMTPServerOptions = {},
  confirm: (mail: ReceivedMail) => Promise<void> = async () => {},
): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disableReverseLookup: true,
    authMethods: ["PLAIN", "LOGIN"],
    onAuth({ username, password }, _session, done) {
      if (password === PASSWORD) return done(null, { user: username });
      done(refusal(535, "5.7.8 Authentication credentials invalid"));
    },
    onData(stream, session, done) {
      let raw = "";
      stream.on("data", (chunk: Buffer) => {
        raw += chunk.toString("utf8");
      });
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo.map(({ address }) => address);
        const mail = {
          from: mailFrom ? mailFrom.address : "",
          to,
          raw,
          secure: session.secure,
          user: session.user as string,
        };
        mails.push(mail);
        void confirm(mail).then(() => done(null, "2.0.0 queued as 4711"));
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await soon("the mail server listens", listening.promise);
  const address = server.server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
