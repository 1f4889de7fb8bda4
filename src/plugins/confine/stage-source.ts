// The text of stage.ts, as it travels inside the executable.
import { readFileSync } from "node:fs";
import bundle from "../../../dist/plugins/stage.bundle.js" with { type: "file" };

export function stageSource(): string {
  return readFileSync(bundle, "utf8");
}
