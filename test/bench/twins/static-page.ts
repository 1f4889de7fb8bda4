// Twin of the page's first view: the least a browser can be shown, from a bare server.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) =>
    url.endsWith("/health")
      ? new Response("")
      : new Response("<!doctype html><title>Hub</title><h1>Sign in</h1>", { headers: { "content-type": "text/html" } }),
});
process.stdout.write(`http port=${server.port}\n`);

export {};
