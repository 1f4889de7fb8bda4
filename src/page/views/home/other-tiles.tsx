// Tiles of what is no device: scenes and variables.

import { useSignal } from "@preact/signals";
import type { Json } from "../../model/device/json.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayUse, type Scene, type Variable, variables } from "../../state/house/lists.ts";
import { post, put } from "../../state/hub/api.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { formatNumber, t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { Stepper } from "../../ui/stepper.tsx";

const DONE_MS = 2000;

interface Activation {
  failed: { device_id: string; error: string }[];
}

export function SceneTile({ scene: { id, name } }: { scene: Scene }) {
  const stage = useSignal<"idle" | "busy" | "done">("idle");
  const problem = useSignal<unknown>(undefined);
  const failed = useSignal(0);
  const isLocked = connection.value.state !== "live" || !mayUse("scene", id);

  async function activate(): Promise<void> {
    stage.value = "busy";
    problem.value = undefined;
    try {
      const answer = await post<Activation>(`/scenes/${encodeURIComponent(id)}/activate`);
      failed.value = answer.failed.length;
      stage.value = "done";
      setTimeout(() => {
        stage.value = "idle";
      }, DONE_MS);
    } catch (error) {
      problem.value = error;
      stage.value = "idle";
    }
  }

  return (
    <li class={stage.value === "idle" ? "tile" : "tile active"}>
      <span class="corner">
        <Icon name={stage.value === "done" ? "check" : "scene"} />
      </span>
      <p class="name" dir="auto">
        {name}
      </p>
      <p class="state" role="status">
        {failed.value > 0
          ? t("scene.failed", { count: failed.value })
          : t(stage.value === "done" ? "scene.done" : "scene.idle")}
      </p>
      <button
        type="button"
        class="whole bare"
        aria-label={t("tile.scene_activate", { name })}
        disabled={isLocked || stage.value === "busy"}
        onClick={() => void activate()}
      />
      <Problem of={problem.value} />
    </li>
  );
}

export function VariableTile({ variable: { name, value } }: { variable: Variable }) {
  const problem = useSignal<unknown>(undefined);
  const disabled = connection.value.state !== "live" || !allows("user");

  async function write(next: Json): Promise<void> {
    problem.value = undefined;
    try {
      await put(`/variables/${encodeURIComponent(name)}`, { value: next });
    } catch (error) {
      problem.value = error;
    } finally {
      await variables.read();
    }
  }

  return (
    <li class="tile">
      <span class="corner">
        <Icon name="variable" />
      </span>
      <p class="name" dir="auto">
        {name}
      </p>
      {typeof value !== "number" && (
        <p class="state" dir="auto">
          {textOf(value)}
        </p>
      )}
      {typeof value === "boolean" && (
        <button
          type="button"
          role="switch"
          class="whole"
          aria-checked={value}
          aria-label={name}
          disabled={disabled}
          onClick={() => void write(!value)}
        />
      )}
      {typeof value === "number" && (
        <Stepper
          label={name}
          value={value}
          min={-1e9}
          max={1e9}
          step={1}
          unit=""
          disabled={disabled}
          onSet={(next) => void write(next)}
        />
      )}
      <Problem of={problem.value} />
    </li>
  );
}

function textOf(value: Json): string {
  if (typeof value === "boolean") return t(value ? "state.yes" : "state.no");
  if (typeof value === "number") return formatNumber(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
