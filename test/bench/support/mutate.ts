// What line noise and malice make of a message: flipped, doubled, cut, inserted and overwritten bytes.
import type { Random } from "../../support/random.ts";

const BOUNDARY_BYTES = [0, 1, 0x0a, 0x0d, 0x20, 0x23, 0x2b, 0x2f, 0x3a, 0x7f, 0x80, 0xc0, 0xd8, 0xff];

export function mutated(random: Random, original: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let times = 1 + random.below(4); times > 0; times--) bytes = once(random, bytes);
  return bytes;
}

function once(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return random.bytes(1 + random.below(8));
  const at = random.below(bytes.length);
  switch (random.below(6)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    case 1:
      bytes[at] = random.pick(BOUNDARY_BYTES);
      return bytes;
    case 2:
      return bytes.subarray(0, at);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(8)), bytes.subarray(at)]);
    case 4: {
      const end = Math.min(bytes.length, at + 1 + random.below(32));
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    }
    default:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4))]);
  }
}
