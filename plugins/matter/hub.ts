// The hub over its API: all devices at once, what changes as it happens, and commands.
import type { Json, JsonObject, Log } from "../sdk/index.ts";
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

export interface HubClient {
  storage: Storage;
  /** The devices, and the scenes as such. */
  devices(): Promise<HubDevice[]>;
  /** Undefined for a device that is not there. */
  device(id: string): Promise<HubDevice | undefined>;
  /** Throws with the hub's words where it refuses the command. */
  command(id: string, command: JsonObject): Promise<void>;
  /** Calls `changed` with a device's id, and `lost` when events may have been missed: after each connect. */
  follow(changed: (id: string) => void, lost: () => void): void;
  unfollow(): void;
}

const TYPES = ["device_state_changed", "device_availability_changed", "device_name_changed"];
const ANSWER_WITHIN_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000;

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

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    return fetch(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers }, signal, tls } as RequestInit);
  }
  async function checked(path: string, init?: RequestInit): Promise<Response> {
    const response = await ask(path, init);
    if (!response.ok) throw new Error(await reasonOf(response));
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

  function follow(changed: (id: string) => void, lost: () => void, pause = 1000): void {
    const address = `${url?.replace(/^http/, "ws")}/events/stream?type=${TYPES.join(",")}`;
    const opened = new WebSocket(address, { headers, tls } as unknown as string[]);
    socket = opened;
    let wait = pause;
    opened.onopen = () => {
      wait = 1000;
      lost();
    };
    opened.onmessage = ({ data }) => {
      const event = JSON.parse(String(data)) as { type: string; device_id?: string };
      if (event.type === "stream_gap") lost();
      else if (event.device_id !== undefined) changed(event.device_id);
    };
    opened.onclose = () => {
      if (!isFollowing || socket !== opened) return;
      log.debug("the hub's stream ended; connecting again");
      retry = setTimeout(() => follow(changed, lost, Math.min(wait * 2, LONGEST_PAUSE_MS)), wait);
    };
  }

  function unfollow(): void {
    isFollowing = false;
    clearTimeout(retry);
    socket?.close();
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
      if (scene === undefined) await checked(`${device(id)}/state`, asJson("PATCH", command));
      else await checked(`/scenes/${encodeURIComponent(scene)}/activate`, asJson("POST", {}));
    },
    follow(changed, lost) {
      isFollowing = true;
      follow(changed, lost);
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
