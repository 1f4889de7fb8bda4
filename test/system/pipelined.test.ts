// Several requests in one packet, before the first one is answered: Bun closes a connection where an answer lets the next one wait.
import { expect, test } from "bun:test";
import { createHubPlace } from "../support/hub-place.ts";
import { openRawSocket } from "../support/raw-socket.ts";
import { until } from "../support/wait.ts";

const PATHS = ["/auth/me", "/devices", "/rules", "/auth/me", "/scenes", "/areas", "/nothing/here", "/health"];

test("requests with a token that come in one packet are answered in turn, as the first after a start too", async () => {
  await using place = createHubPlace();
  const before = await place.start();
  const token = await before.adminToken();
  await before.end();
  const hub = await place.start();
  using socket = await openRawSocket(hub.port);
  const heads = PATHS.map(
    (path) => `GET /api/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  const statuses = () => [...socket.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  for (const round of [1, 2]) {
    socket.write(heads.join(""));
    await until("every answer, or the end", () => statuses().length === round * PATHS.length || socket.isClosed);
  }
  const expected = PATHS.map((path) => (path.startsWith("/nothing") ? 404 : 200));
  expect({ statuses: statuses(), isClosed: socket.isClosed }).toEqual({
    statuses: [...expected, ...expected],
    isClosed: false,
  });
});
