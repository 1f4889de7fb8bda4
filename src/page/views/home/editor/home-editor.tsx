// Arranging the start: the order of areas and tiles, favourites, what is hidden, and what guests may use.

import { useSignal } from "@preact/signals";
import { here } from "../../../browser/start-address.ts";
import { loadViewStyles } from "../../../browser/view-styles.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { orderAreas, shareLayout } from "../../../state/home/arrange.ts";
import { forgetLayout, layoutProblem } from "../../../state/home/layout.ts";
import { allSections, FAVOURITES, favourites, type Section } from "../../../state/home/start.ts";
import { allows } from "../../../state/hub/session.ts";
import { t } from "../../../texts/index.ts";
import { Icon } from "../../../ui/icon.tsx";
import { toast } from "../../../ui/toast.ts";
import { titleOf } from "../section-title.ts";
import { HomeEditorRows } from "./home-editor-rows.tsx";
import { MoveButtons } from "./move-buttons.tsx";
import { movedBy, useReorder } from "./use-reorder.ts";

const LIST = "areas";

export async function loadHomeEditor() {
  await loadViewStyles();
  return HomeEditor;
}

function HomeEditor() {
  const sections = allSections.value;
  const reorder = useReorder(
    LIST,
    sections.map(({ id }) => id),
    orderAreas,
  );
  const byId = new Map(sections.map((section) => [section.id, section]));
  const starred: Section = { id: FAVOURITES, name: "", items: favourites.value };
  return (
    <>
      <h1>{t("edit.title")}</h1>
      <p class="hint">{t("edit.hint")}</p>
      <Actions />
      <Problem of={layoutProblem.value} />
      {starred.items.length > 0 && <EditedSection section={starred} isOpen />}
      {reorder.order.map((id, at) => {
        const section = byId.get(id);
        return (
          section && (
            <EditedSection
              key={id}
              section={section}
              isDragged={reorder.dragged === id}
              handle={reorder.handle(id)}
              onMove={(by) => orderAreas(movedBy(reorder.order, id, by))}
              isFirst={at === 0}
              isLast={at === sections.length - 1}
            />
          )
        );
      })}
    </>
  );
}

function Actions() {
  const problem = useSignal<unknown>(undefined);

  async function run(work: () => Promise<void>, said: string): Promise<void> {
    problem.value = undefined;
    try {
      await work();
      toast(said);
    } catch (error) {
      problem.value = error;
    }
  }

  return (
    <>
      <p class="below">
        <a class="button main" href={here({ edit: undefined })}>
          <Icon name="check" /> {t("edit.done")}
        </a>
        <button type="button" onClick={() => void run(forgetLayout, t("edit.forgotten"))}>
          {t("edit.forget")}
        </button>
        {allows("admin") && (
          <button type="button" onClick={() => void run(shareLayout, t("edit.shared"))}>
            {t("edit.share")}
          </button>
        )}
      </p>
      <Problem of={problem.value} />
    </>
  );
}

interface EditedSectionProps {
  section: Section;
  isOpen?: boolean;
  isDragged?: boolean;
  /** Favourites stay on top: they have none. */
  handle?: ReturnType<ReturnType<typeof useReorder>["handle"]>;
  onMove?: (by: number) => void;
  isFirst?: boolean;
  isLast?: boolean;
}

function EditedSection({ section, isOpen = false, isDragged, handle, onMove, isFirst, isLast }: EditedSectionProps) {
  const open = useSignal(isOpen);
  const title = titleOf(section);
  return (
    <section class={isDragged ? "edited dragged" : "edited"} aria-label={title} data-list={LIST} data-key={section.id}>
      <header class="edited-head">
        {handle && <span class="handle" aria-hidden="true" {...handle} />}
        <h2>
          <button
            type="button"
            class="bare"
            aria-expanded={open.value}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            <span dir="auto">{title}</span> <span class="count">{section.items.length}</span>
          </button>
        </h2>
        {onMove && <MoveButtons name={title} {...{ onMove, isFirst, isLast }} />}
      </header>
      {open.value && <HomeEditorRows section={section} />}
    </section>
  );
}
