// Short notes about what was done, and how to undo it. Errors stand where they belong, not here.
import { signal } from "@preact/signals";

interface Note {
  id: number;
  text: string;
  undo?: () => void;
}

const SHOWN_MS = 10_000;

/** `show` has the text, and what takes back what was done. */
export function createNotes(shownMs = SHOWN_MS) {
  const notes = signal<readonly Note[]>([]);
  let count = 0;
  function dismiss(note: Note): void {
    notes.value = notes.value.filter((one) => one !== note);
  }
  return {
    notes,
    dismiss,
    show(text: string, undo?: () => void): void {
      const note: Note = { id: ++count, text, ...(undo && { undo }) };
      notes.value = [...notes.value, note];
      setTimeout(dismiss, shownMs, note);
    },
  };
}

export const { notes, dismiss, show: toast } = createNotes();
