// An authenticated GET: token, role and user are checked on each request, then the object is made and turned into JSON.
//
// The twin is bare Elysia on the same routes with nothing before its handler, which turns the same object into the same
// bytes. Load: 16 keep-alive connections from this process, one request at a time each.
import { type Bench, cost, type Row, rate } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { stateMessage } from "./support/device-message.ts";
import { loadHttp } from "./support/http-load.ts";
import { startHub } from "./support/hub-under-test.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { cpuMs } from "./support/proc.ts";
import { median } from "./support/stats.ts";

const CONNECTIONS = 16;
const ROUNDS = 7;
const BRIEF_ROUNDS = 4;
// The first rounds do not count: the hub has more code to get compiled than the twin.
const WARM_UP = 3;
const ROUND_MS = 1500;
const GETS = [
  { path: "/api/v1/auth/me", route: "/api/v1/auth/me" },
  { path: "/api/v1/devices/bench_lamp", route: "/api/v1/devices/:id" },
];

export const authenticatedGet: Bench = {
  name: "authenticated-get",
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const hub = stack.use(await startHub(context));
    const headers = { authorization: `Bearer ${await hub.login()}` };
    using publisher = await openPublisher(hub.mqttPort);
    publisher.publish([stateMessage("bench_lamp", 1)], 1);
    await Bun.sleep(300);
    const bodies: Record<string, unknown> = {};
    for (const { path, route } of GETS) {
      const answer = await fetch(`http://127.0.0.1:${hub.port}${path}`, { headers });
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      bodies[route] = await answer.json();
    }
    const twin = stack.use(startTwin("elysia", JSON.stringify(bodies)));
    const [twinPort] = await twin.printed(/http port=(\d+)/);

    const rows: Row[] = [];
    for (const { path } of GETS) {
      const sides = [
        { pid: hub.pid, port: hub.port, perSecond: [] as number[], cpuMicros: [] as number[] },
        { pid: twin.pid, port: Number(twinPort), perSecond: [] as number[], cpuMicros: [] as number[] },
      ] as const;
      const rounds = context.brief ? BRIEF_ROUNDS : ROUNDS;
      for (let round = -WARM_UP; round < rounds; round++) {
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          const cpu = cpuMs(side.pid);
          const answered = await loadHttp({ port: side.port, path, headers }, CONNECTIONS, ROUND_MS);
          if (round < 0) continue;
          side.perSecond.push((answered / ROUND_MS) * 1000);
          side.cpuMicros.push(((cpuMs(side.pid) - cpu) * 1000) / answered);
        }
      }
      const [h, t] = sides;
      rows.push(rate(`requests/s, ${path}`, median(h.perSecond), median(t.perSecond), 0.7));
      rows.push(cost(`CPU µs/request, ${path}`, median(h.cpuMicros), median(t.cpuMicros)));
    }
    return rows;
  },
};
