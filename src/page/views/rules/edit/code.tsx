// A text of a programming language, to be edited. The editor loads when it is shown; until then, and where it cannot be
// loaded, there is a plain field.

import type { Ref } from "preact";
import { useEffect, useImperativeHandle, useRef, useState } from "preact/hooks";
import type { CodeEditor, CodeFormat, CodeProblem, Complete } from "./code-editor.ts";

export interface CodeHandle {
  goTo(line: number, column: number): void;
}

interface CodeProps {
  text: string;
  format: CodeFormat;
  label: string;
  problems: readonly CodeProblem[];
  complete: Complete;
  onChange: (text: string) => void;
  onSave: () => void;
  handle: Ref<CodeHandle>;
}

export function Code({ text, format, label, problems, complete, onChange, onSave, handle }: CodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<CodeEditor>();
  // What the editor calls is always that of the last drawing.
  const latest = useRef({ text, onChange, onSave, complete });
  latest.current = { text, onChange, onSave, complete };
  // What was typed and has not come back as `text` yet: it must not be put over what was typed after it.
  const typed = useRef<string[]>([]);

  useEffect(() => {
    let made: CodeEditor | undefined;
    let over = false;
    import("./code-editor.ts").then(
      ({ createCodeEditor }) => {
        if (over || !host.current) return;
        made = createCodeEditor({
          host: host.current,
          text: latest.current.text,
          format,
          label,
          complete: (context) => latest.current.complete(context),
          onChange(next) {
            typed.current.push(next);
            latest.current.onChange(next);
          },
          onSave: () => latest.current.onSave(),
        });
        setEditor(made);
      },
      // The plain field stays.
      () => {},
    );
    return () => {
      over = true;
      made?.destroy();
    };
  }, [label]);
  useEffect(() => {
    const at = typed.current.indexOf(text);
    if (at >= 0) typed.current.splice(0, at + 1);
    else editor?.setText(text);
  }, [editor, text]);
  useEffect(() => editor?.setFormat(format), [editor, format]);
  useEffect(() => editor?.setProblems(problems), [editor, problems]);
  useImperativeHandle(
    handle,
    () => ({ goTo: (line, column) => (editor ? editor.goTo(line, column) : plain.current?.focus()) }),
    [editor],
  );

  return (
    <div class="code">
      <div ref={host} />
      {!editor && (
        <textarea
          ref={plain}
          aria-label={label}
          value={text}
          spellcheck={false}
          rows={16}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </div>
  );
}
