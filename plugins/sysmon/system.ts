// The machine itself. Its uptime grows with every report, which shows that the plugin runs.
import { hostname, release, uptime } from "node:os";
import { Type } from "../sdk/index.ts";
import type { Watch } from "./config.ts";

const capabilities = Type.Object({
  uptime_secs: Type.Integer({ title: "Running for", unit: "s", minimum: 0 }),
  hostname: Type.String({ title: "Host name" }),
  kernel: Type.String({ title: "Kernel" }),
  model: Type.Optional(Type.String({ title: "Model" })),
});

export const watchSystem: Watch = (plugin, read) => {
  const device = plugin.device({ id: `${plugin.id}_system`, name: "System", deviceType: "sensor", capabilities });
  return async function reportSystem() {
    device.set({
      uptime_secs: Math.floor(uptime()),
      hostname: hostname(),
      kernel: release(),
      // Boards have a device tree, PCs have DMI.
      model: (await read("/proc/device-tree/model")) || (await read("/sys/class/dmi/id/product_name")) || undefined,
    });
  };
};
