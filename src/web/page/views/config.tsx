// hub.toml: its text with the secrets masked, checked while it is typed, and shown as a difference before it is saved.
import { useEffect, useState } from "preact/hooks";
import { ActButton } from "../components/admin/act-button.tsx";
import { AdminPage, toSystem } from "../components/admin/admin-page.tsx";
import { CommonKeys } from "../components/admin/common-keys.tsx";
import { ConfigText } from "../components/admin/config-text.tsx";
import { Difference } from "../components/admin/difference.tsx";
import { RestartHub } from "../components/admin/restart-hub.tsx";
import { Problem } from "../components/problem.tsx";
import { toast } from "../components/toast.tsx";
import { useQuery } from "../components/use-query.ts";
import { canAct } from "../state/acting.ts";
import { ApiError } from "../state/api.ts";
import {
  type ConfigChecked,
  type ConfigRead,
  checkConfig,
  draft,
  keepDraft,
  readConfig,
  saveConfig,
} from "../state/hub-config.ts";
import { connection } from "../state/live.ts";
import { t } from "../texts/index.ts";

const CHECK_AFTER_MS = 400;

export function Config() {
  return (
    <AdminPage title={t("config.title")} back={toSystem()}>
      <Editor />
    </AdminPage>
  );
}

function Editor() {
  const [file, setFile] = useState<ConfigRead>();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const query = useQuery();
  const isChanged = file !== undefined && text !== file.text;
  const checked = useChecked(file && text);

  async function read(keep?: string): Promise<void> {
    try {
      const next = await readConfig();
      setFile(next);
      setText(keep ?? next.text);
      setProblem(undefined);
    } catch (error) {
      setProblem(error);
    }
  }

  useEffect(() => void read(draft()), []);

  function edit(next: string): void {
    setText(next);
    keepDraft(next === file?.text ? undefined : next);
  }

  async function restarted(): Promise<void> {
    const wanted = file?.etag;
    const now = await readConfig();
    await read();
    // The hub did not start with it, and took back the text it ran with.
    if (now.etag !== wanted) setProblem(new ApiError(0, { code: "went_back" }));
    else toast(t("restart.back"));
  }

  if (!file) return <Problem of={problem} />;
  const isReview = query.of("step") === "review" && isChanged;
  return (
    <>
      <p>{t("config.about")}</p>
      <Problem of={problem} />
      {!isChanged && checked && checked.changes.length > 0 && <Waiting changes={checked.changes} onBack={restarted} />}
      {isReview ? (
        <Review
          file={file}
          text={text}
          checked={checked}
          onBack={() => query.set({ step: undefined })}
          onReload={() => read(text)}
          onSaved={async () => {
            keepDraft(undefined);
            await read();
            query.set({ step: undefined });
            toast(t("config.saved"));
          }}
        />
      ) : (
        <>
          <CommonKeys text={text} onChange={edit} />
          <ConfigText label={t("config.title")} value={text} problems={checked?.problems ?? []} onChange={edit} />
          <div class="buttons">
            <button
              type="button"
              class="main"
              disabled={!isChanged || !canAct("admin")}
              onClick={() => query.set({ step: "review" }, true)}
            >
              {t("config.review")}
            </button>
            {isChanged && (
              <button type="button" onClick={() => edit(file.text)}>
                {t("config.discard")}
              </button>
            )}
          </div>
        </>
      )}
    </>
  );
}

/** What the hub says to the text, once nobody has typed for a moment. */
function useChecked(text: string | undefined): ConfigChecked | undefined {
  const [checked, setChecked] = useState<ConfigChecked>();
  const isLive = connection.value.state === "live";
  useEffect(() => {
    if (text === undefined || !isLive) return;
    let isLatest = true;
    const timer = setTimeout(() => {
      checkConfig(text).then(
        (answer) => isLatest && setChecked(answer),
        () => {},
      );
    }, CHECK_AFTER_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [text, isLive]);
  return checked;
}

function Waiting({ changes, onBack }: { changes: readonly string[]; onBack: () => Promise<void> }) {
  return (
    <div class="banner">
      <p>
        {t("config.waiting")} <code>{changes.join(", ")}</code>
      </p>
      <div class="buttons">
        <RestartHub look="main" onBack={onBack} />
      </div>
      {changes.some((change) => /^server\.(host|port|tls)/.test(change)) && <p>{t("config.other_address")}</p>}
    </div>
  );
}

interface ReviewProps {
  file: ConfigRead;
  text: string;
  checked: ConfigChecked | undefined;
  onBack: () => void;
  onReload: () => Promise<void>;
  onSaved: () => Promise<void>;
}

function Review({ file, text, checked, onBack, onReload, onSaved }: ReviewProps) {
  const [force, setForce] = useState(false);
  const [isConflict, setIsConflict] = useState(false);
  const problems = checked?.problems.filter(({ warning }) => !warning) ?? [];
  const isFatal = problems.some(({ confined }) => !confined);

  async function store(): Promise<void> {
    try {
      await saveConfig(text, file, force);
    } catch (error) {
      setIsConflict(error instanceof ApiError && error.status === 409);
      throw error;
    }
    await onSaved();
  }

  return (
    <section>
      <h2>{t("config.difference")}</h2>
      <Difference before={file.text} after={text} />
      {isFatal && <p class="problem">{t("config.not_startable")}</p>}
      {!isFatal && problems.length > 0 && (
        <label class="choice">
          <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} />
          {t("config.force", { what: problems.map(({ path }) => path).join(", ") })}
        </label>
      )}
      <div class="buttons">
        <ActButton look="main" act={store} disabled={isFatal || (problems.length > 0 && !force)}>
          {t("config.save")}
        </ActButton>
        {isConflict && <ActButton act={onReload}>{t("config.compare_again")}</ActButton>}
        <button type="button" onClick={onBack}>
          {t("config.edit_on")}
        </button>
      </div>
    </section>
  );
}
