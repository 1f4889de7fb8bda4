// sysmon as a whole, alone in an empty folder.
import { expect, test } from "bun:test";
import { openBroker } from "./support/broker.ts";
import { bundlePlugin, startChild } from "./support/child.ts";
import { until } from "./support/until.ts";

test("reports the machine at once, and again soon", async () => {
  await using bundle = await bundlePlugin("plugins/sysmon/main.ts");
  await using broker = await openBroker();
  const config = `${import.meta.dir}/../../plugins/sysmon/config.toml`;
  await using child = startChild({ bundle, port: broker.port, id: "sysmon", config });
  const states = (device: string) => broker.on(`house/devices/sysmon_${device}/state`);
  await until("the first reports", () =>
    ["cpu", "memory", "disk_root", "system"].every((device) => states(device).length > 0),
  );
  expect(states("memory")[0]).toMatchObject({ total_mib: expect.any(Number), used_pct: expect.any(Number) });
  expect(states("disk_root")[0]).toMatchObject({ mount: "/", total_gib: expect.any(Number) });
  expect(states("system")[0]).toMatchObject({ hostname: expect.any(String), kernel: expect.any(String) });
  await until("the second look", () => states("system").length > 1 && states("cpu").at(-1)?.usage_pct !== undefined);
  expect(broker.on("house/plugins/sysmon/register").map(({ device_id }) => device_id)).toEqual([
    "sysmon_cpu",
    "sysmon_memory",
    "sysmon_disk_root",
    "sysmon_system",
  ]);
  child.terminate();
  expect(await child.exited).toBe(0);
  expect(await child.stderr).toBe("");
});
