// Twin of start and of idle memory: the least a compiled Bun can be that answers HTTP.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2] ?? 0),
  fetch: () => Response.json({ status: "ok" }),
});
process.stdout.write(`http port=${server.port}\n`);

export {};
