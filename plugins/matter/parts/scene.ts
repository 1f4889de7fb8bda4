// A scene as a switch that goes off again by itself: switching it on is activating the scene.
import { OnOffPlugInUnitDevice } from "@matter/main/devices/on-off-plug-in-unit";
import { SCENE } from "../scenes.ts";
import type { MakePart } from "./part.ts";
import { SwitchedServer, whenSwitched } from "./switched.ts";

/** Long enough for the other app to show that it was pressed. */
const SHOWN_MS = 1000;

export const scene: MakePart = (device) => {
  if (device.device_type !== SCENE) return undefined;
  return {
    id: "scene",
    type: OnOffPlugInUnitDevice.with(SwitchedServer),
    values: () => ({ onOff: { onOff: false } }),
    watch(endpoint, ask) {
      whenSwitched(endpoint, (context, { on }) => {
        if (on !== true) return;
        ask(context, { on });
        // It may be gone by then.
        setTimeout(() => void endpoint.set({ onOff: { onOff: false } } as never).catch(() => {}), SHOWN_MS);
      });
    },
  };
};
