// Setting up: the rooms of the house.

import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { type Area, areas, readAreas } from "../../state/house/setup.ts";
import { post, remove } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

const COMMON = [
  "living_room",
  "kitchen",
  "bedroom",
  "bathroom",
  "hallway",
  "office",
  "kids_room",
  "garden",
  "garage",
  "cellar",
] as const;

/** With its name as id, a room is also that of devices which report this name as theirs. */
const CAN_BE_ID = /^[^/+#$.][^/+#]*$/;

export function AreasStep() {
  const { locked, problem, run } = useAct();
  const known = new Set(areas.value.map(({ name }) => name.toLowerCase()));
  const add = (area: { name: string; id?: string }): Promise<boolean> =>
    run(async () => {
      await post("/areas", { ...(CAN_BE_ID.test(area.name) && { id: area.name }), ...area });
      await readAreas();
    });
  async function drop({ id, name }: Area): Promise<void> {
    const isGone = await run(async () => {
      await remove(`/areas/${encodeURIComponent(id)}`);
      await readAreas();
    });
    if (isGone) toast(t("areas.removed", { name }), () => void add({ name, id }));
  }
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    if (await add({ name: String(new FormData(form).get("name")).trim() })) form.reset();
  }

  return (
    <>
      <p>{t("areas.why")}</p>
      <ul class="setup-list">
        {areas.value.map((area) => (
          <li key={area.id}>
            <span dir="auto">{area.name}</span>
            {area.devices > 0 ? (
              <small>{t("areas.device_count", { count: area.devices })}</small>
            ) : (
              <button
                type="button"
                disabled={locked}
                aria-label={t("areas.remove", { name: area.name })}
                onClick={() => void drop(area)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      <div class="chips">
        {COMMON.map((key) => t(`areas.${key}`))
          .filter((name) => !known.has(name.toLowerCase()))
          .map((name) => (
            <button key={name} type="button" disabled={locked} onClick={() => void add({ name })}>
              + {name}
            </button>
          ))}
      </div>
      <form class="setup-form" onSubmit={submit}>
        <label>
          {t("areas.own")}
          <input name="name" maxLength={100} required pattern=".*\S.*" dir="auto" />
        </label>
        <Problem of={problem} />
        <p class="buttons">
          <button type="submit" disabled={locked}>
            {t("areas.add")}
          </button>
        </p>
      </form>
    </>
  );
}
