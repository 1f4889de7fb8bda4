// The hub over its API: all devices at once, what changes as it happens, and commands.
import type { Json, JsonObject, Log } from "../sdk/index.ts";
import { createAnswers, HubRefusal } from "./answers.ts";
import { deviceOf, type HubScene, sceneIdOf } from "./scenes.ts";

export interface HubDevice {
  id: string;
  name: string;
  area: string | null;
  device_type: string | null;
  tags: string[];
  available: boolean;
  attributes: JsonObject;
  capabilities: Json;
  schema: Json;
  manufacturer: string | null;
  model: string | null;
  sw_version: string | null;
}

/** What this plugin keeps in the hub's database: text that it alone reads. */
export interface Storage {
  load(): Promise<string | undefined>;
  /** On the hub's disk when it resolves. */
  save(text: string): Promise<void>;
}

/** What is reported of the hub as it happens. */
export interface Followed {
  /** A device reported something, became available or not, or got another name. */
  changed(id: string): void;
  /** A button of it was used, in the device's own words. */
  pressed(id: string, action: string): void;
  /** Events may have been missed: after each connect. */
  lost(): void;
}

export interface HubClient {
  storage: Storage;
  /** The devices, and the scenes as such. */
  devices(): Promise<HubDevice[]>;
  /** Undefined for a device that is not there. */
  device(id: string): Promise<HubDevice | undefined>;
  /** Throws HubRefusal with the reason where the hub, or soon after the device's side, refuses the command. */
  command(id: string, command: JsonObject): Promise<void>;
  follow(followed: Followed): void;
  unfollow(): void;
}

const CHANGES = ["device_state_changed", "device_availability_changed", "device_name_changed"];
const TYPES = [...CHANGES, "device_action", "device_command_failed"];
interface StreamEvent {
  type: string;
  device_id?: string;
  action?: string;
  correlation_id?: string;
  message?: string;
}
const ANSWER_WITHIN_MS = 10_000;
const MAX_PAUSE_MS = 30_000;

export function connectHub(env: Readonly<Record<string, string | undefined>>, pluginId: string, log: Log): HubClient {
  const { HUB_API_URL: url, HUB_API_TOKEN: token } = env;
  if (!url || !token)
    throw new Error('it may not use the API: add `api = "user"` to its entry of [[plugins]] in hub.toml');
  const headers = { authorization: `Bearer ${token}` };
  // The certificate is for the name that people use, not for this address of the machine itself.
  const tls = { rejectUnauthorized: false };
  let socket: WebSocket | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isFollowing = false;
  const answers = createAnswers();

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    return fetch(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers }, signal, tls } as RequestInit);
  }
  async function checked(path: string, init?: RequestInit): Promise<Response> {
    const response = await ask(path, init);
    if (!response.ok) throw new HubRefusal(await reasonOf(response), response.status);
    return response;
  }
  const asJson = (method: string, body: unknown): RequestInit => ({
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

  async function everything<T>(list: string): Promise<T[]> {
    const all: T[] = [];
    for (let path: string | undefined = list; path !== undefined; ) {
      const response = await checked(path);
      all.push(...((await response.json()) as T[]));
      path = nextOf(response, list);
    }
    return all;
  }

  function handle({ type, device_id: id, ...event }: StreamEvent, followed: Followed): void {
    if (type === "stream_gap") followed.lost();
    if (id === undefined) return;
    if (type === "device_action") followed.pressed(id, event.action ?? "");
    else if (type === "device_command_failed") answers.failed(id, event.correlation_id ?? "", event.message ?? "");
    else {
      if (type === "device_state_changed") answers.reported(id);
      followed.changed(id);
    }
  }

  function follow(followed: Followed, pause = 1000): void {
    const address = `${url?.replace(/^http/, "ws")}/events/stream?type=${TYPES.join(",")}`;
    const opened = new WebSocket(address, { headers, tls } as unknown as string[]);
    socket = opened;
    let wait = pause;
    opened.onopen = () => {
      wait = 1000;
      followed.lost();
    };
    opened.onmessage = ({ data }) => handle(JSON.parse(String(data)) as StreamEvent, followed);
    opened.onclose = () => {
      if (!isFollowing || socket !== opened) return;
      log.debug("the hub's stream ended; connecting again");
      retry = setTimeout(() => follow(followed, Math.min(wait * 2, MAX_PAUSE_MS)), wait);
    };
  }

  function unfollow(): void {
    isFollowing = false;
    clearTimeout(retry);
    socket?.close();
  }

  /** A scene of which a part fails has done the rest; one of which nothing works has failed. */
  async function activate(scene: string): Promise<void> {
    const response = await checked(`/scenes/${encodeURIComponent(scene)}/activate`, asJson("POST", {}));
    const { sent, failed } = (await response.json()) as { sent: unknown[]; failed: { error: string }[] };
    const [first] = failed;
    if (sent.length === 0 && first) throw new HubRefusal(first.error, 409);
  }

  const device = (id: string) => `/devices/${encodeURIComponent(id)}`;
  const stored = `/plugins/${encodeURIComponent(pluginId)}/storage`;
  return {
    storage: {
      async load() {
        const response = await ask(stored);
        if (response.status === 404) return undefined;
        if (!response.ok) throw new Error(await reasonOf(response));
        return ((await response.json()) as { text: string }).text;
      },
      save: async (text) => void (await checked(stored, asJson("PUT", { text }))),
    },
    async devices() {
      const [all, scenes] = [await everything<HubDevice>("/devices"), await everything<HubScene>("/scenes")];
      return [...all, ...scenes.map(deviceOf)];
    },
    async device(id) {
      const response = await ask(device(id));
      if (response.status === 404) return undefined;
      if (!response.ok) throw new Error(await reasonOf(response));
      return (await response.json()) as HubDevice;
    },
    async command(id, command) {
      const scene = sceneIdOf(id);
      if (scene !== undefined) return activate(scene);
      return answers.after(id, async () => {
        const response = await checked(`${device(id)}/state`, asJson("PATCH", command));
        return ((await response.json()) as { correlation_id: string }).correlation_id;
      });
    },
    follow(followed) {
      isFollowing = true;
      follow(followed);
    },
    unfollow,
  };
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String((JSON.parse(text) as { error?: string }).error ?? text);
  } catch {
    return `the hub answers ${response.status}`;
  }
}

/** The path of the next page, from a Link header. */
function nextOf(response: Response, list: string): string | undefined {
  const after = /[?&](after=[^&>]+)/.exec(response.headers.get("link") ?? "")?.[1];
  return after === undefined ? undefined : `${list}?${after}`;
}
