// Where and with what the figures were made.
import { cpus, totalmem } from "node:os";

export interface Machine {
  date: string;
  cores: number;
  cpu: string;
  memory_mib: number;
  platform: string;
  bun: string;
  hub: string;
}

export function describeMachine(binary: string): Machine {
  const { stdout } = Bun.spawnSync([binary, "version"], { env: {} });
  return {
    date: new Date().toISOString(),
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memory_mib: Math.round(totalmem() / 1024 ** 2),
    platform: `${process.platform}-${process.arch}`,
    bun: Bun.version,
    hub: stdout.toString().trim(),
  };
}
