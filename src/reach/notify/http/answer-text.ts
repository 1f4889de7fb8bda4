// The text of a service's answer. Nothing that answers can fill the memory: what is behind the beginning is not waited for.

const MAX_BYTES = 64 * 1024;

/** 64 KiB of it at most. */
export async function answerText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_BYTES));
}
