// Plugins from a file: install one, exchange its program, go back, remove it.
import { useCallback, useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Problem } from "../../parts/acting/problem.tsx";
import { type Uploaded, uploads } from "../../state/admin/uploads.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Sheet } from "../../ui/sheet.tsx";
import { toast } from "../../ui/toast.ts";
import { UploadList } from "./upload-list.tsx";
import { PluginUpload } from "./upload-plugin.tsx";
import { UploadRemoval } from "./upload-removal.tsx";

const HERE = "/plugins/install";

export function PluginInstall() {
  const { query, route } = useLocation();
  const [list, setList] = useState<readonly Uploaded[]>();
  const [problem, setProblem] = useState<unknown>();
  const isLive = connection.value.state === "live";
  const isAdmin = allows("admin");

  const read = useCallback(async () => {
    try {
      setList(await uploads());
      setProblem(undefined);
    } catch (error) {
      setProblem(error);
    }
  }, []);
  useEffect(() => {
    if (isLive && isAdmin) void read();
  }, [isLive, isAdmin, read]);

  function done(text: string): void {
    if (query.replace !== undefined || query.remove !== undefined) route(HERE, true);
    toast(text);
    void read();
  }

  if (!isAdmin)
    return (
      <>
        <h1>{t("upload.title")}</h1>
        <p>{t("upload.admins_only")}</p>
      </>
    );
  const chosen = (name: string): string | undefined => list?.find(({ id }) => id === query[name])?.id;
  const [replaces, removes] = [chosen("replace"), chosen("remove")];
  return (
    <>
      <h1>{t("upload.title")}</h1>
      <p class="upload-warning">{t("upload.trust")}</p>
      <PluginUpload onDone={(id) => done(t("upload.installed", { id }))} />
      <h2>{t("upload.list")}</h2>
      <Problem of={problem} />
      {list?.length === 0 && <p class="hint">{t("upload.none")}</p>}
      {list && <UploadList uploads={list} onDone={done} />}
      {replaces !== undefined && (
        <Sheet title={t("upload.replace_of", { id: replaces })} closed={HERE}>
          <p class="hint">{t("upload.replace_what")}</p>
          <PluginUpload replaces={replaces} onDone={(id) => done(t("upload.replaced", { id }))} />
        </Sheet>
      )}
      {removes !== undefined && (
        <Sheet title={t("upload.remove_of", { id: removes })} closed={HERE}>
          <UploadRemoval id={removes} onDone={() => done(t("upload.removed", { id: removes }))} />
        </Sheet>
      )}
    </>
  );
}
