// Whether this browser gets the hub's messages while the page is closed, and switching that.
import { ask, get, post } from "../hub/api.ts";

export type PushState =
  /** Why it cannot be switched on here: a text of the page. */
  | { kind: "never"; why: "insecure" | "home_screen" | "unsupported" | "denied" }
  | { kind: "off" | "on"; channels: readonly string[] };

interface PushKey {
  public_key: string;
  channels: string[];
}

/** Rejects with ApiError. */
export async function readPush(): Promise<PushState> {
  const why = whyNever();
  if (why) return { kind: "never", why };
  const [{ channels, public_key }, registered] = await Promise.all([get<PushKey>("/notify/web-push/key"), present()]);
  if (!registered) return { kind: "off", channels };
  if (!isOf(registered, public_key)) {
    // The hub has another key, as after it was set up anew: its messages would be refused.
    await registered.unsubscribe();
    return { kind: "off", channels };
  }
  // The hub may have forgotten it, as after a restore.
  await post("/notify/web-push/subscriptions", registered.toJSON());
  return { kind: "on", channels };
}

/** Asks the person for permission; throws what the browser says. */
export async function switchPushOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") return;
  const { public_key } = await get<PushKey>("/notify/web-push/key");
  const { pushManager } = await navigator.serviceWorker.ready;
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key });
  await post("/notify/web-push/subscriptions", made.toJSON());
}

export async function switchPushOff(): Promise<void> {
  const registered = await present();
  if (!registered) return;
  await ask("DELETE", "/notify/web-push/subscriptions", { body: { endpoint: registered.endpoint } });
  await registered.unsubscribe();
}

function whyNever(): Extract<PushState, { kind: "never" }>["why"] | undefined {
  if (!window.isSecureContext) return "insecure";
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)
    return Notification.permission === "denied" ? "denied" : undefined;
  return /iPhone|iPad/.test(navigator.userAgent) ? "home_screen" : "unsupported";
}

async function present(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

function isOf({ options }: PushSubscription, key: string): boolean {
  if (!options.applicationServerKey) return true;
  const own = btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey)));
  return own.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") === key;
}
