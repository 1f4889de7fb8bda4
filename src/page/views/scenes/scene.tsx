// One scene: what it brings each device to, to try and to change.

import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { NameEditor } from "../../parts/acting/name-editor.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";
import { SceneEditor } from "./scene-editor.tsx";
import { capture, removeScene, rename, SCENE_EVENTS, type Scene, type States, saveStates } from "./scenes.ts";
import { ActivateScene } from "./scenes.tsx";

export function SceneView() {
  const { params } = useRoute();
  const path = `/scenes/${encodeURIComponent(params.id ?? "")}`;
  const { value: scene, problem, read } = useHubData<Scene>(path, { after: SCENE_EVENTS });
  return (
    <>
      <p>
        <a href="/scenes">{t("scenes.title")}</a>
      </p>
      <Problem of={problem} />
      {scene && <Editing key={scene.id} scene={scene} read={read} />}
    </>
  );
}

function Editing({ scene, read }: { scene: Scene; read: () => Promise<void> }) {
  const [draft, setDraft] = useState<States>();
  const act = useAct();
  const { route } = useLocation();
  const { id, name } = scene;
  const mayEdit = mayAct("user");

  useEffect(() => {
    if (!draft) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [draft]);

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!draft) return;
    const before = scene.states;
    const isSaved = await act.run(async () => {
      await saveStates(id, draft);
      await read();
    });
    if (!isSaved) return;
    setDraft(undefined);
    offerUndo(t("scene.saved"), before);
  }

  async function takePresent(): Promise<void> {
    const before = scene.states;
    const isDone = await act.run(async () => {
      await capture(id);
      await read();
    });
    if (isDone) offerUndo(t("scene.captured"), before);
  }

  function offerUndo(text: string, before: States): void {
    toast(text, () => void saveStates(id, before).then(read, () => toast(t("house.undo_failed"))));
  }

  return (
    <>
      <h1>
        <NameEditor
          name={name}
          disabled={!mayEdit}
          onSave={async (next) => {
            await rename(id, next);
            await read();
          }}
        />
      </h1>
      <div class="thing">
        <ActivateScene id={id} name={name} />
      </div>
      <form onSubmit={save}>
        <SceneEditor states={draft ?? scene.states} disabled={!mayEdit} onChange={setDraft} />
        <Problem of={act.problem} />
        {draft && (
          <div class="banner">
            <p>{t("scene.unsaved")}</p>
            <div class="buttons">
              <button type="submit" class="main" disabled={act.busy || !mayEdit}>
                {t("house.save")}
              </button>
              <button
                type="button"
                onClick={() => {
                  setDraft(undefined);
                  act.forget();
                }}
              >
                {t("scene.discard")}
              </button>
            </div>
          </div>
        )}
      </form>
      <div class="buttons">
        <button
          type="button"
          hidden={!allows("user")}
          disabled={!mayEdit || act.busy || draft !== undefined}
          onClick={() => void takePresent()}
        >
          {t("scene.take_present")}
        </button>
        <AskFirst
          label={t("house.remove")}
          of={name}
          question={t("house.remove_of", { name })}
          disabled={!mayEdit}
          onYes={() => void act.run(() => removeScene(scene, async () => route("/scenes")))}
        />
      </div>
    </>
  );
}
