// hub.toml while somebody edits it, as text or in forms: both change one text, which the hub checks as it is typed.

import { useEffect, useRef, useState } from "preact/hooks";
import { type ConfigEdit, type ConfigValues, withEdit } from "../../model/config/config-values.ts";
import type { FormSchema } from "../../model/config/form-schema.ts";
import {
  type ConfigChecked,
  type ConfigRead,
  checkConfig,
  draft,
  editConfig,
  keepDraft,
  readConfig,
  readConfigSchema,
} from "../../state/admin/hub-config.ts";
import { connection } from "../../state/hub/live.ts";
import { useAskSoon } from "../../state/hub/watched.ts";

const CHECK_AFTER_MS = 400;
const EDIT_AFTER_MS = 250;

export interface ConfigDraft {
  file: ConfigRead;
  schema: FormSchema;
  text: string;
  isChanged: boolean;
  /** Of the text as it is now; undefined until the hub has looked at it. */
  checked: ConfigChecked | undefined;
  /** What the text says, with what was changed in forms just now; undefined while it is not TOML. */
  values: ConfigValues | undefined;
  setText: (text: string) => void;
  edit: (edits: readonly ConfigEdit[]) => void;
  /** Reads the file anew; `keep`: and edits this text on. */
  read: (keep?: string) => Promise<void>;
}

export interface ConfigDrafting {
  /** Undefined until it was read. */
  draft: ConfigDraft | undefined;
  problem: unknown;
}

export function useConfigDraft(): ConfigDrafting {
  const [file, setFile] = useState<ConfigRead>();
  const [schema, setSchema] = useState<FormSchema>();
  const [text, setText] = useState("");
  const [checked, setChecked] = useState<{ of: string; result: ConfigChecked }>();
  const [values, setValues] = useState<ConfigValues>();
  const [problem, setProblem] = useState<unknown>();
  const latest = useRef(text);
  const waiting = useRef<ConfigEdit[]>([]);
  const isWriting = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isLive = connection.value.state === "live";

  function show(next: string, of = file): void {
    latest.current = next;
    setText(next);
    keepDraft(next === of?.text ? undefined : next);
  }

  async function read(keep?: string): Promise<void> {
    try {
      const [next, form] = await Promise.all([readConfig(), readConfigSchema()]);
      setFile(next);
      setSchema(form);
      show(keep ?? next.text, next);
      setProblem(undefined);
    } catch (error) {
      setProblem(error);
    }
  }

  /** What forms changed becomes text, one batch after the other. */
  async function write(): Promise<void> {
    if (isWriting.current) return;
    isWriting.current = true;
    while (waiting.current.length > 0) {
      const [edits, before] = [waiting.current, latest.current];
      waiting.current = [];
      try {
        const next = await editConfig(before, edits);
        // What was typed in the meantime counts, and the edits are made to that.
        if (latest.current === before) show(next);
        else waiting.current = [...edits, ...waiting.current];
        setProblem(undefined);
      } catch (error) {
        waiting.current = [];
        setProblem(error);
        setValues(checked?.result.values ?? undefined);
      }
    }
    isWriting.current = false;
  }

  function edit(edits: readonly ConfigEdit[]): void {
    setValues((before) => edits.reduce(withEdit, before ?? {}));
    waiting.current = [...waiting.current, ...edits].reduce(merged, []);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void write(), EDIT_AFTER_MS);
  }

  useEffect(() => void read(draft()), []);
  useAskSoon(
    {
      ask: file && isLive ? () => checkConfig(text) : undefined,
      onAnswer(result) {
        setChecked({ of: text, result });
        if (waiting.current.length === 0 && !isWriting.current) setValues(result.values ?? undefined);
      },
      onFailure() {},
      afterMs: checked ? CHECK_AFTER_MS : 0,
    },
    [file, text, isLive],
  );

  return {
    problem,
    draft: file &&
      schema && {
        file,
        schema,
        text,
        isChanged: text !== file.text,
        checked: checked?.result,
        values,
        setText: show,
        edit,
        read,
      },
  };
}

/** Of several edits of one value in a row, the last counts. Entries of lists come and go in their order. */
function merged(edits: ConfigEdit[], next: ConfigEdit): ConfigEdit[] {
  const last = edits.at(-1);
  const isSame = last && typeof next.path.at(-1) === "string" && last.path.join("/") === next.path.join("/");
  return isSame ? [...edits.slice(0, -1), next] : [...edits, next];
}
