// ICMP echo requests of rules, by the system's own `ping`: raw sockets are for root alone.
import type { HouseEffects, Ping } from "../../rules/model/host.ts";

/** Beyond what `ping` itself waits. */
const SPARE_MS = 2000;
const MAX_OUTPUT = 16_384;

export const ping: HouseEffects["ping"] = async (host, { count, timeoutMs }, signal) => {
  const secs = Math.max(1, Math.ceil(timeoutMs / 1000));
  try {
    const child = Bun.spawn(["ping", "-n", "-c", String(count), "-W", String(secs), host], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
      signal,
      timeout: count * 1000 + timeoutMs + SPARE_MS,
      killSignal: "SIGKILL",
    });
    const [output, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    return { reachable: code === 0, ...roundTrip(output.slice(0, MAX_OUTPUT)) };
  } catch {
    // There is no `ping` on this machine, or the run is over.
    return { reachable: false };
  }
};

/** `rtt min/avg/max/mdev = 0.031/0.042/0.051/0.008 ms`, and busybox's `round-trip min/avg/max = …`. */
function roundTrip(output: string): Pick<Ping, "rttMs"> {
  const mean = /(?:rtt|round-trip) [a-z/]+ = [0-9.]+\/([0-9.]+)\//.exec(output)?.[1];
  return mean === undefined ? {} : { rttMs: Number(mean) };
}
