// Scenes, with the ids they had.
import type { Database } from "bun:sqlite";
import { readSceneStates } from "../../../house/state/commands/scene-states.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isValidId } from "../../../kit/schema/ids.ts";
import { cleanName, type Report } from "../report.ts";
import { RENAMED } from "./areas.ts";
import type { OldScene } from "./shapes.ts";

const MAX_SCENES = 1000;

export function importScenes(
  db: Database,
  scenes: readonly OldScene[],
  { report, now }: { report: Report; now: number },
): void {
  const insert = db.query(
    "INSERT INTO scenes (id, name, states, created_at, updated_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const count = db.query<{ n: number }, []>("SELECT count(*) AS n FROM scenes");
  for (const { id, name: given, states } of scenes) {
    const name = cleanName(given) ?? id;
    try {
      if (!isValidId(id)) throw new HubError("invalid", "its id cannot be one here");
      if ((count.get()?.n ?? 0) >= MAX_SCENES)
        throw new HubError("conflict", `there are ${MAX_SCENES} scenes here already`);
      const isNew = insert.run(id, name, JSON.stringify(readSceneStates(states)), now, now).changes > 0;
      const isRenamed = name !== given.trim();
      report.add(
        "scene",
        name,
        isNew ? (isRenamed ? "changed" : "moved") : "there",
        isNew && isRenamed ? RENAMED : undefined,
      );
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      report.add("scene", name, "left", error.message);
    }
  }
}
