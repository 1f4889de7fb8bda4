// Twin of an authenticated GET: bare Elysia on the same routes, no guard, and the same object turned into JSON on each
// request. Argument: route → body, as JSON.
import { Elysia } from "elysia";

const bodies = JSON.parse(process.argv[2] ?? "{}") as Record<string, Record<string, unknown>>;
// The header is among the hub's bytes.
const app = new Elysia().headers({ "x-content-type-options": "nosniff" });
for (const [route, body] of Object.entries(bodies)) app.get(route, () => body);
app.listen({ hostname: "127.0.0.1", port: 0, reusePort: false });
process.stdout.write(`http port=${app.server?.port}\n`);
