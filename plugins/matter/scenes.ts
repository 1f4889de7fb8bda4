// The hub's scenes, as devices for the bridge: their ids are such as no device can have.
import type { HubDevice } from "./hub.ts";

export interface HubScene {
  id: string;
  name: string;
}

/** The kind of device that a scene is for the bridge. */
export const SCENE = "scene/";

export function deviceOf({ id, name }: HubScene): HubDevice {
  const nothing = { area: null, capabilities: null, schema: null, manufacturer: null, sw_version: null };
  return {
    ...{ id: SCENE + id, name, device_type: SCENE, model: "Scene", tags: [], available: true, attributes: {} },
    ...nothing,
  };
}

/** The scene's own id; undefined for a device's. */
export function sceneIdOf(id: string): string | undefined {
  return id.startsWith(SCENE) ? id.slice(SCENE.length) : undefined;
}
