// A pretended radio as rtl_tcp shares one over the network: what it "receives" are pulses of a sensor between silence.

const SAMPLES_PER_SECOND = 250_000;
const SILENCE = 127;
const PULSE_US = 500;
/** Behind a pulse: how long it is quiet for a 0, a 1, and between two times of the same. */
const GAPS_US = { 0: 1000, 1: 2000, between: 4000 } as const;
const TIMES = 12;
const CHUNK_MS = 20;

export interface Radio extends Disposable {
  port: number;
}

/** A Nexus thermometer's bits as pulses. */
function pulsesOf(bits: string): [onUs: number, offUs: number][] {
  const once = [...bits].map((bit): [number, number] => [PULSE_US, bit === "1" ? GAPS_US[1] : GAPS_US[0]]);
  return Array.from({ length: TIMES }, () => [...once, [PULSE_US, GAPS_US.between] as [number, number]]).flat();
}

/** Unsigned bytes, I and Q by turns. */
function samplesOf(bits: string): Uint8Array {
  const bytes: number[] = [];
  const add = (us: number, isOn: boolean): void => {
    const from = bytes.length / 2;
    for (let at = from; at < from + (us * SAMPLES_PER_SECOND) / 1e6; at++) {
      const turn = at * 0.3;
      bytes.push(
        SILENCE + (isOn ? 100 * Math.cos(turn) : at % 2),
        SILENCE + (isOn ? 100 * Math.sin(turn) : (at + 1) % 2),
      );
    }
  };
  for (const [on, off] of pulsesOf(bits)) {
    add(on, true);
    add(off, false);
  }
  return Uint8Array.from(bytes, Math.round);
}

/** Sends each of them after the other, again and again. `received`: bits, in text. */
export function openRadio(received: readonly string[]): Radio {
  const signals = received.map(samplesOf);
  const silence = new Uint8Array((SAMPLES_PER_SECOND / 2) * 2).map((_, at) => SILENCE + ((at >> 1) % 2));
  const all = signals.flatMap((one) => [silence, one]);
  const stream = Buffer.concat([...all, silence]);
  const chunk = (SAMPLES_PER_SECOND * 2 * CHUNK_MS) / 1000;
  const timers = new Set<Timer>();
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.write(Buffer.from([...Buffer.from("RTL0"), 0, 0, 0, 5, 0, 0, 0, 29]));
        let at = 0;
        const timer = setInterval(() => {
          socket.write(stream.subarray(at, at + chunk));
          at = at + chunk >= stream.length ? 0 : at + chunk;
        }, CHUNK_MS);
        timers.add(timer);
      },
      // Its commands set the frequency, the rate and the gain.
      data() {},
    },
  });
  return {
    port: server.port,
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer);
      server.stop(true);
    },
  };
}
