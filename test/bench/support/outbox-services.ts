// The services that notifications go to, as a process of their own: bots and push services by the first part of the path,
// which take everything and remember it, and one at /hang/ that never answers. GET /took reports what they took. Prints its port.

/** As they came. `when` is the sender's own time, where it reports it. */
export interface Took {
  channel: string;
  number: number;
  when: number;
}

const took: Took[] = [];

const server = Bun.serve({
  port: Number(process.argv[2] ?? 0),
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const [, channel = ""] = new URL(request.url).pathname.split("/");
    if (channel === "took") return Response.json(took);
    if (channel === "hang") return new Promise<never>(() => {});
    const body = await request.text();
    const number = Number(/message[ +](\d+)/.exec(body)?.[1]);
    took.push({ channel, number, when: Number(request.headers.get("x-simulated-ms")) });
    return Response.json({ ok: true, result: { message_id: took.length }, status: 1, request: "r" });
  },
});
process.stdout.write(`port=${server.port}\n`);
