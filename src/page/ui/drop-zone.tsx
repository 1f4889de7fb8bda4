// Takes one file, dropped or chosen.
import type { ComponentChildren } from "preact";

interface DropZoneProps {
  file: File | undefined;
  /** As for an input. */
  accept?: string;
  disabled: boolean;
  onFile: (file: File | undefined) => void;
  children: ComponentChildren;
}

export function DropZone({ file, accept, disabled, onFile, children }: DropZoneProps) {
  return (
    <label
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (!disabled) onFile(event.dataTransfer?.files[0]);
      }}
    >
      <span>{children}</span>
      <input
        class="visually-hidden"
        {...{ type: "file", accept, disabled }}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
      {file && <strong dir="auto">{file.name}</strong>}
    </label>
  );
}

/** `part`: from 0 to 1, 1 while the hub works on what it has; `text` says which. */
export function Sending({ part, text }: { part: number; text: string }) {
  return (
    <div>
      <p role="status">{text}</p>
      {/* Without a value while the hub works: nobody knows how long that takes. */}
      <progress aria-label={text} {...(part < 1 && { value: part })} />
    </div>
  );
}
