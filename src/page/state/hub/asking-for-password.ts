// Whether somebody waits for the password: all that the first view has of the dialog, which is loaded then.
import { signal } from "@preact/signals";

export interface Asking {
  give(password: string): Promise<void>;
  cancel(): void;
}

export const askingForPassword = signal<Asking | undefined>();
