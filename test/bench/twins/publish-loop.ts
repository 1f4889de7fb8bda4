// Twin of the stream: a bare Bun.serve. Each line that comes in over TCP is published to one topic, as it is.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request, self) => (self.upgrade(request) ? undefined : new Response("no", { status: 426 })),
  websocket: {
    perMessageDeflate: false,
    backpressureLimit: 2 * 1024 * 1024,
    closeOnBackpressureLimit: true,
    open: (socket) => void socket.subscribe("all"),
    message() {},
  },
});

let rest = "";
const door = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data(_socket, chunk) {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) server.publish("all", line);
    },
  },
});

process.stdout.write(`http port=${server.port}\ndoor port=${door.port}\n`);

export {};
