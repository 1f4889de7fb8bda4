// hub cell TASK: what the hub itself starts to read foreign bytes (kit/lifecycle/cell.ts). Not for people, so it is not among the commands.
import type { CalendarRequest } from "../../house/calendars/cell-task.ts";
import type { Io } from "./command.ts";

export async function runInCell([task]: readonly string[], { platform: { env, stdout } }: Io): Promise<number> {
  if (task !== "calendar" || env.HUB_CELL_REQUEST === undefined) return 2;
  const { readInCell } = await import("../../house/calendars/cell-task.ts");
  const request: CalendarRequest = JSON.parse(env.HUB_CELL_REQUEST);
  readInCell(request, (text) => stdout.write(text));
  return stdout.problem === undefined ? 0 : 1;
}
