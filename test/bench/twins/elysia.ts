// Twin of an authenticated GET: bare Elysia, no guard, and the same object turned into JSON on each request.
import { Elysia } from "elysia";

const bodies = JSON.parse(process.argv[2] ?? "{}") as Record<string, Record<string, unknown>>;
const app = new Elysia();
for (const [path, body] of Object.entries(bodies)) app.get(path, () => body);
app.listen({ hostname: "127.0.0.1", port: 0, reusePort: false });
process.stdout.write(`http port=${app.server?.port}\n`);
