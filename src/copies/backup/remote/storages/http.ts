// What the targets that are reached over HTTP have in common.
import { readFileSync } from "node:fs";
import { HubError, messageOf } from "../../../../kit/schema/errors.ts";

/** A target with an authority of its own, as `fetch` takes it; throws HubError where the file cannot be read. */
export function trustOf(
  { tls_ca }: { tls_ca?: string | undefined },
  { resolve, address }: { resolve: (path: string) => string; address: string },
): { tls?: { ca: string } } {
  if (tls_ca === undefined) return {};
  try {
    return { tls: { ca: readFileSync(resolve(tls_ca), "utf8") } };
  } catch (error) {
    throw new HubError("upstream_failed", `${address}: tls_ca cannot be read: ${messageOf(error)}`);
  }
}

/** Throws HubError where it is longer than `most` letters. */
export async function textOf(answer: Response, { most, address }: { most: number; address: string }): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > most) throw new HubError("upstream_failed", `${address}: sends an answer without an end`);
  }
  return text;
}

export async function drop(answer: Response): Promise<void> {
  await answer.body?.cancel();
}
