// Archives encrypted with a passphrase, in the age format (age-encryption.org/v1), so that `age -d` opens them without a hub.
import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { isStorageFault } from "../../../kit/files/storage-fault.ts";
import { HubError } from "../../../kit/schema/errors.ts";

const MAGIC = Buffer.from("age-encryption.org/v1\n");
// Takes 64 MiB for a second. The 256 MiB that age itself takes by default are more than a small Pi can spare.
const WORK_FACTOR = 16;
const READ_BYTES = 256 * 1024;

export function isEncrypted(file: number): boolean {
  const head = Buffer.alloc(MAGIC.length);
  return readSync(file, head, 0, head.length, 0) === head.length && head.equals(MAGIC);
}

export async function encrypt(
  plain: ReadableStream<Uint8Array>,
  passphrase: string,
): Promise<ReadableStream<Uint8Array>> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(plain);
}

/** Writes the content to `target`. Throws HubError `invalid` where the passphrase is wrong or the file damaged. */
export async function decryptFile(file: number, target: string, passphrase: string | undefined): Promise<void> {
  if (passphrase === undefined || passphrase === "")
    throw new HubError(
      "invalid",
      "the archive is encrypted: give its passphrase (on the command line with --passphrase-stdin, over REST in the header X-Backup-Passphrase), or set [backup] passphrase",
    );
  const plain = await begin(file, passphrase);
  const out = openSync(target, "wx", 0o600);
  try {
    for await (const chunk of plain as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>)
      for (let at = 0; at < chunk.length; ) at += writeSync(out, chunk, at);
    fsyncSync(out);
  } catch (error) {
    if (isStorageFault(error)) throw error;
    throw new HubError("invalid", "the archive is refused: it is encrypted, and damaged or truncated");
  } finally {
    closeSync(out);
  }
}

async function begin(file: number, passphrase: string): Promise<ReadableStream<Uint8Array>> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(streamOf(contentOf(file)));
  } catch {
    throw new HubError("invalid", "the archive cannot be decrypted: the passphrase is wrong, or its header is damaged");
  }
}

async function* contentOf(file: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const buffer = Buffer.alloc(READ_BYTES);
    const got = readSync(file, buffer, 0, READ_BYTES, at);
    if (got === 0) return;
    at += got;
    yield buffer.subarray(0, got);
  }
}

/** A stream that pulls the chunks one by one. */
export function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
