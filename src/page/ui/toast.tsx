// Short notes about what was done, and how to undo it. Errors stand where they belong, not here.
import { signal } from "@preact/signals";
import { t } from "../texts/index.ts";

interface Note {
  id: number;
  text: string;
  undo?: () => void;
}

const SHOWN_MS = 10_000;
const notes = signal<readonly Note[]>([]);
let count = 0;

export function toast(text: string, undo?: () => void): void {
  const note: Note = { id: ++count, text, ...(undo && { undo }) };
  notes.value = [...notes.value, note];
  setTimeout(() => dismiss(note), SHOWN_MS);
}

function dismiss(note: Note): void {
  notes.value = notes.value.filter((one) => one !== note);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notes.value.map((note) => (
        <p key={note.id} class="toast">
          {note.text}
          {note.undo && (
            <button
              type="button"
              onClick={() => {
                note.undo?.();
                dismiss(note);
              }}
            >
              {t("undo")}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
