// All scenes: to activate, to open, to make.

import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useAddress } from "../../browser/address.ts";
import { NameEditor } from "../../parts/acting/name-editor.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { DeviceChoice } from "../../parts/devices/device-choice.tsx";
import { deviceName } from "../../parts/devices/values.ts";
import { useAreas } from "../../state/house/areas.ts";
import { devices } from "../../state/house/devices.ts";
import { post } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { type Activation, activate, isOfScenes, removeScene, rename, SCENE_EVENTS, type Scene } from "./scenes.ts";

const SHOWN_DEVICES = 4;

export function ScenesView() {
  const { value: scenes, problem, read } = useHubData<Scene[]>("/scenes", { after: SCENE_EVENTS });
  const query = useAddress();
  const isNew = query.of("new") !== "";
  return (
    <>
      <h1>{t("scenes.title")}</h1>
      <Problem of={problem} />
      {isNew ? (
        <NewScene onEnd={() => query.change({ new: undefined })} />
      ) : (
        <p hidden={!allows("user")}>
          <button type="button" disabled={!mayAct("user")} onClick={() => query.change({ new: "1" }, true)}>
            {t("scenes.new")}
          </button>
        </p>
      )}
      {scenes?.length === 0 && !isNew && <p>{t("scenes.empty")}</p>}
      <ul class="things">
        {scenes?.map((scene) => (
          <SceneRow key={scene.id} scene={scene} read={read} />
        ))}
      </ul>
    </>
  );
}

function SceneRow({ scene, read }: { scene: Scene; read: () => Promise<void> }) {
  const { id, name, states } = scene;
  const act = useAct();
  const ids = Object.keys(states);
  const some = ids.slice(0, SHOWN_DEVICES).map(deviceName).join(", ");
  return (
    <li class="thing">
      <div class="about">
        <NameEditor
          name={name}
          href={`/scenes/${encodeURIComponent(id)}`}
          disabled={!mayAct("user")}
          onSave={async (next) => {
            await rename(id, next);
            await read();
          }}
        />
        <p class="hint" dir="auto">
          {t("scenes.devices", { count: ids.length })}: {ids.length > SHOWN_DEVICES ? `${some}, …` : some}
        </p>
      </div>
      <AskFirst
        label={t("house.remove")}
        of={name}
        question={t("house.remove_of", { name })}
        disabled={!mayAct("user")}
        onYes={() => void act.run(() => removeScene(scene, read))}
      />
      <ActivateScene id={id} name={name} />
      <Problem of={act.problem} />
    </li>
  );
}

/** A scene is made by setting the house as it shall be, and choosing the devices that belong to it. */
function NewScene({ onEnd }: { onEnd: () => void }) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const act = useAct();
  const { areaName } = useAreas();
  const { route } = useLocation();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await act.run(async () => {
      const { id } = await post<Scene>("/scenes/capture", { name: name.trim(), device_ids: [...chosen] });
      route(`/scenes/${encodeURIComponent(id)}`, true);
    });
  }

  return (
    <form class="stacked-form" onSubmit={submit}>
      <h2>{t("scenes.new")}</h2>
      <p>{t("scenes.how")}</p>
      <label class="field">
        {t("house.name")}
        <input
          dir="auto"
          value={name}
          maxLength={200}
          required
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <DeviceChoice
        legend={t("scenes.which")}
        chosen={chosen}
        onChange={setChosen}
        fits={(device) => device.device_type !== "timer" && isOfScenes(device)}
        areaName={areaName}
      />
      <Problem of={act.problem} />
      <div class="buttons">
        <button
          type="submit"
          class="main"
          disabled={act.busy || !mayAct("user") || chosen.size === 0 || name.trim() === ""}
        >
          {t("scenes.capture")}
        </button>
        <button type="button" onClick={onEnd}>
          {t("house.cancel")}
        </button>
      </div>
    </form>
  );
}

export function ActivateScene({ id, name }: { id: string; name: string }) {
  const act = useAct();
  const [outcome, setOutcome] = useState<Activation>();
  const start = (force = false): Promise<boolean> =>
    act.run(async () => {
      setOutcome(await activate(id, force));
    });
  return (
    <>
      <button
        type="button"
        class="main"
        hidden={!allows("user")}
        disabled={act.busy || !mayAct("user")}
        aria-label={`${t("scene.activate")}: ${name}`}
        onClick={() => void start()}
      >
        {t("scene.activate")}
      </button>
      <div class="wide" role="status">
        <Problem of={act.problem} />
        {outcome && !act.busy && <Outcome of={outcome} onForce={() => void start(true)} />}
      </div>
    </>
  );
}

/** A scene's button, and what came of it at each device. */
function Outcome({ of: { sent, failed }, onForce }: { of: Activation; onForce: () => void }) {
  const isAway = (id: string): boolean => devices.value.get(id)?.value.available === false;
  return (
    <>
      <p class={failed.length === 0 ? "good" : "look"}>
        {t(failed.length === 0 ? "scene.all_sent" : "scene.some_sent", { sent: sent.length, failed: failed.length })}
      </p>
      <details open={failed.length > 0}>
        <summary>{t("scene.result")}</summary>
        <ul class="results">
          {failed.map(({ device_id: id, error }) => (
            <li key={id}>
              <span class="act">✗</span> <bdi>{deviceName(id)}</bdi>:{" "}
              <span dir="auto">{isAway(id) ? t("device.offline") : error}</span>
            </li>
          ))}
          {sent.map(({ device_id: id }) => (
            <li key={id}>
              <span class="good">✓</span> <bdi>{deviceName(id)}</bdi>: {t("scene.sent")}
            </li>
          ))}
        </ul>
        {failed.some(({ device_id }) => isAway(device_id)) && (
          <button type="button" disabled={!mayAct("user")} onClick={onForce}>
            {t("scene.force")}
          </button>
        )}
      </details>
    </>
  );
}
