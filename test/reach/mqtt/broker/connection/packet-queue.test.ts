// However a stream is split into chunks, it leaves the queue in batches of whole packets, byte for byte.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { generate, type Packet, parser } from "mqtt-packet";
import { createPacketQueue } from "../../../../../src/reach/mqtt/broker/connection/packet-queue.ts";
import { examples } from "../../../../support/examples.ts";

const LIMIT = 400_000;
const packet: fc.Arbitrary<Packet> = fc.oneof(
  fc.record({ payload: fc.nat({ max: 40_000 }), qos: fc.constantFrom(0, 1) }).map(({ payload, qos }): Packet => {
    const rest = { retain: false, dup: false, messageId: 1 };
    return { cmd: "publish", topic: "hub/x", payload: Buffer.alloc(payload, 1), qos: qos === 1 ? 1 : 0, ...rest };
  }),
  fc.constant<Packet>({ cmd: "pingreq" }),
  fc.nat({ max: 60_000 }).map((messageId): Packet => ({ cmd: "puback", messageId: messageId + 1 })),
);

test("nothing is lost, added or split, and a batch has no more packets than allowed", () => {
  fc.assert(
    fc.property(
      fc.array(packet, { minLength: 1, maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      (packets, sizes, most) => {
        const stream = Buffer.concat(packets.map((one) => generate(one)));
        const queue = createPacketQueue(LIMIT);
        const out: Buffer[] = [];
        let ended = 0;
        let requests = 0;
        const takeAll = (): void => {
          while (queue.size > 0) {
            const batch = queue.take({ packets: most, bytes: 65_536 });
            expect(batch.error).toBeUndefined();
            expect(batch.taken).toBeGreaterThan(0);
            expect(batch.packets).toBeLessThanOrEqual(most);
            ended += batch.packets;
            requests += batch.requests;
            for (const publish of batch.publishes) expect(parsed(publish)).toEqual({ packets: 1, left: 0 });
            out.push(...batch.publishes, batch.bytes);
            // A full batch ends where a packet ends.
            if (batch.packets === most) expect(parsed(Buffer.concat(out))).toEqual({ packets: ended, left: 0 });
          }
        };
        for (let at = 0, n = 0; at < stream.length; n++) {
          const size = sizes[n % sizes.length] ?? 1;
          queue.add(stream.subarray(at, at + size));
          at += size;
          if (n % 3 === 0) takeAll();
        }
        takeAll();
        expect(Buffer.concat(out).equals(stream)).toBe(true);
        expect(ended).toBe(packets.length);
        expect(requests).toBe(packets.filter(({ cmd }) => cmd === "publish").length);
      },
    ),
    { numRuns: examples(60) },
  );
});

function parsed(bytes: Buffer): { packets: number; left: number } {
  let packets = 0;
  const reader = parser();
  reader.on("packet", () => void packets++);
  const left = reader.parse(bytes);
  return { packets, left };
}

test.each([
  ["a message beyond the limit", [0x30, 0x81, 0xb5, 0x18], "a packet of more than 400000 bytes"],
  ["a SUBSCRIBE of more than 128 KiB", [0x82, 0x81, 0x80, 0x08], "a packet of more than 131072 bytes"],
  ["a length of five bytes", [0x30, 0x80, 0x80, 0x80, 0x80, 0x01], "a malformed packet length"],
])("%s is refused by its header", (_what, bytes, reason) => {
  const queue = createPacketQueue(LIMIT);
  queue.add(Buffer.from([0xc0, 0, ...bytes]));
  // A PUBLISH never leaves with the packets before it.
  if (bytes[0] === 0x30) expect(queue.take({ packets: 16, bytes: 65_536 })).toMatchObject({ packets: 1, taken: 2 });
  expect(queue.take({ packets: 16, bytes: 65_536 }).error).toMatchObject({ reason });
});
