// Starts the page.
import { render } from "preact";
import { App } from "./app.tsx";
import { forgetHouse, paintLast, readHouse, takeEvent } from "./state/house.ts";
import { startLive } from "./state/live.ts";
import { session } from "./state/session.ts";
import { startLanguage } from "./texts/index.ts";

async function start(): Promise<void> {
  await startLanguage();
  if (session.value) paintLast();
  startLive({ onEvent: takeEvent, refresh: readHouse });
  session.subscribe((who) => {
    if (!who) forgetHouse();
  });
  const root = document.getElementById("app");
  if (root) render(<App />, root);
  // Only where the connection is secure; without it the page works, and cannot be installed.
  await navigator.serviceWorker?.register("/worker.js").catch(() => {});
}

void start();
