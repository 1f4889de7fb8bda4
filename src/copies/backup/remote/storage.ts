// A place elsewhere that stores files, whatever it speaks. Works on a thread of its own: nothing here is in the hub's way.

export interface StoredFile {
  name: string;
  bytes: number;
}

export interface Content {
  bytes: number;
  /** From the beginning, each time it is called. */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Paths are relative to the target's own folder, with one `/` at most. Everything throws HubError `upstream_failed` that says what is
 * wrong and what to do, and `not_found` for a file that is not there.
 */
export interface Storage extends AsyncDisposable {
  /** Whether a file appears only when it is whole, so that it needs no temporary name. */
  readonly putsWhole: boolean;
  folders(): Promise<string[]>;
  /** Empty where there is no such folder. */
  list(folder: string): Promise<StoredFile[]>;
  /**
   * Replaces what is there; the folder is made. Where the storage can, it goes on with what an earlier try has brought there: whoever
   * calls it reads the whole back, and removes it where it is not right.
   */
  put(path: string, content: Content): Promise<void>;
  get(path: string): AsyncIterable<Uint8Array>;
  /** Not called where `putsWhole`. */
  rename(from: string, to: string): Promise<void>;
  /** Nothing happens where it is not there. */
  remove(path: string): Promise<void>;
  /** Gives up unfinished uploads to the folder that a listing does not show, and that match. */
  sweep?(folder: string, isMine: (name: string) => boolean): Promise<void>;
}

/** What opening a target needs besides its configuration. */
export interface OpenOptions {
  /** Of paths in the configuration. */
  resolve(path: string): string;
  /** What was learned about this target before. */
  known: Known;
  /** A person looks on, so that a new disk may be taken for the target. */
  isTest: boolean;
}

/** What is remembered of a target between two uses. */
export interface Known {
  /** Of an SSH server; filled in when it was first seen. */
  hostKey?: string;
  /** A folder that was used before has a mark in it. */
  isMarked?: boolean;
}

/** More than any house has; a folder with more holds other things. */
export const MAX_FILES = 10_000;
