// Packets for the MQTT fuzzer: valid ones of 3.1.1 and 5, and what noise and malice make of them.
import { generate, type Packet } from "mqtt-packet";
import type { Random } from "../../support/random.ts";
import { mutated } from "./mutate.ts";

export interface FuzzAccount {
  username: string;
  password: string;
}

const DEVICES = Array.from({ length: 20 }, (_, index) => `guest_${index}`);
const TOPICS = [
  ...DEVICES.flatMap((device) =>
    ["state", "state/partial", "availability", "schema"].map((leaf) => `hub/devices/${device}/${leaf}`),
  ),
  ..."hub/plugins/guest/heartbeat hub/plugins/guest/register hub/plugins/guest/capabilities hub/plugins/guest/log".split(
    " ",
  ),
  ..."hub/events/custom/x hub/devices/bench_0/state hub/devices/bench_0/cmd hub hub/ / a//b $SYS/x $share/g/a hub/devices//state".split(
    " ",
  ),
  ...[
    "hub/devices/+/state",
    "hub/#",
    "#",
    "",
    "\u0000",
    "a".repeat(300),
    "x/".repeat(500),
    "hub/devices/ä/state",
    "hub/devices/../state",
  ],
];
const PAYLOADS = [
  '{"on":true,"level":3}',
  '{"on":false}',
  "{}",
  "[]",
  "null",
  "true",
  "online",
  "offline",
  "",
  "\u0000",
  '{"a":1e999}',
  '{"__proto__":{"x":1}}',
  '{"devices":[{"device_id":"guest_1","name":"One"}]}',
  '{"device_id":"guest_2","name":"Two","schema":{"type":"object"}}',
  `{"x":"${"y".repeat(5000)}"}`,
  '{"timestamp":"2026-01-01T00:00:00Z","version":"1","notices":[{"level":"error","code":"x","message":"y"}]}',
  `${"[".repeat(3000)}${"]".repeat(3000)}`,
  '{"a":"\\ud800"}',
  '{"level":"info","message":"a log line"}',
  '{"_hc":{"command":{"correlation_id":"x"}}}',
  '{"on":tru',
];

export function createMqttFuzz(random: Random, account: FuzzAccount) {
  const topic = (): string => random.pick(TOPICS);
  const messageId = (): number => 1 + random.below(20);

  function connect(version: 4 | 5): Buffer {
    return made(
      {
        cmd: "connect",
        protocolId: "MQTT",
        protocolVersion: version,
        clientId: `guest-${random.below(200)}`,
        username: account.username,
        password: Buffer.from(account.password),
        clean: random.chance(0.7),
        keepalive: random.pick([0, 1, 60, 65_535]),
        ...(random.chance(0.2)
          ? {
              will: {
                topic: "hub/devices/guest_1/availability",
                payload: Buffer.from("offline"),
                qos: 1,
                retain: random.chance(0.5),
              },
            }
          : {}),
        ...(version === 5 && random.chance(0.3)
          ? { properties: { sessionExpiryInterval: random.below(100), receiveMaximum: 1 + random.below(20) } }
          : {}),
      } as Packet,
      version,
    );
  }

  function valid(version: 4 | 5): Buffer {
    const qos = random.pick([0, 1, 2] as const);
    const packets: (() => object)[] = [
      () => ({
        cmd: "publish",
        topic: topic(),
        payload: random.pick(PAYLOADS),
        qos,
        messageId: messageId(),
        retain: random.chance(0.2),
        dup: qos > 0 && random.chance(0.1),
      }),
      () => ({
        cmd: "publish",
        topic: `hub/devices/${random.pick(DEVICES)}/state`,
        payload: `{"n":${random.below(1000)}}`,
        qos,
        messageId: messageId(),
        retain: false,
        dup: false,
      }),
      () => ({
        cmd: "subscribe",
        messageId: messageId(),
        subscriptions: [{ topic: topic(), qos, nl: false, rap: false, rh: 0 }],
      }),
      () => ({ cmd: "unsubscribe", messageId: messageId(), unsubscriptions: [topic()] }),
      () => ({ cmd: random.pick(["puback", "pubrec", "pubrel", "pubcomp"]), messageId: messageId() }),
      () => ({ cmd: random.pick(["pingreq", "pingreq", "pingresp", "disconnect"]) }),
      () => ({ cmd: "suback", messageId: messageId(), granted: [0] }),
      () => ({ cmd: "connack", returnCode: 0, reasonCode: 0, sessionPresent: false }),
      ...(version === 5 ? [() => ({ cmd: "auth", reasonCode: 0 })] : []),
      ...(version === 5
        ? [
            () => ({
              cmd: "publish",
              topic: random.chance(0.5) ? "" : topic(),
              payload: "{}",
              qos: 0,
              retain: false,
              dup: false,
              properties: { topicAlias: 1 + random.below(3) },
            }),
          ]
        : []),
    ];
    return made(random.pick(packets)() as Packet, version);
  }

  // A library that refuses to write a packet has said all: noise in its place.
  function made(packet: Packet, version: 4 | 5): Buffer {
    try {
      return generate(packet, { protocolVersion: version });
    } catch {
      return random.bytes(2 + random.below(20));
    }
  }

  function oversize(): Buffer {
    const lengths = [
      [0xff, 0xff, 0xff, 0x7f],
      [0xff, 0xff, 0xff, 0xff, 0xff],
      [0x80, 0x80, 0x80, 0x01],
      [0xff, 0xff, 0x7f],
      [0x80, 0x00],
    ];
    return Buffer.concat([Buffer.from([random.below(256), ...random.pick(lengths)]), random.bytes(random.below(64))]);
  }

  function odd(version: 4 | 5): Buffer {
    const roll = random.next();
    if (roll < 0.3) return valid(version);
    if (roll < 0.75) return mutated(random, random.chance(0.1) ? connect(version) : valid(version));
    if (roll < 0.85) return random.bytes(1 + random.below(60));
    if (roll < 0.95) {
      const whole = valid(version);
      return whole.subarray(0, 1 + random.below(whole.length));
    }
    return oversize();
  }

  /** What one connection sends, packet by packet. */
  return function conversation(): Buffer[] {
    const version = random.pick([4, 5] as const);
    const packets = Array.from({ length: 1 + random.below(10) }, () => odd(version));
    const roll = random.next();
    if (roll < 0.85) return [connect(version), ...packets];
    return roll < 0.95 ? [mutated(random, connect(version)), ...packets] : packets;
  };
}
