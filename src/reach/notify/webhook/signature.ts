// Signs what a webhook sends, so that its receiver knows that it is the hub's and new: as https://www.standardwebhooks.com has it, and
// as GitHub does, which most receivers can check.
import { createHmac } from "node:crypto";

export interface Signed {
  /** `whsec_` and base64, or any text. Without it nothing is signed. */
  secret: string | undefined;
  id: string;
  /** Epoch ms of this try. */
  at: number;
  body: Uint8Array | undefined;
}

/** The headers that go with it. */
export function signatureOf({ secret, id, at, body = new Uint8Array() }: Signed): Record<string, string> {
  if (secret === undefined) return {};
  const timestamp = String(Math.floor(at / 1000));
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return {
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
}
