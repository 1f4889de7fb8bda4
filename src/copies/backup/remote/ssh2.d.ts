// What is used of ssh2. Its own types bring those of an old Node, which those of Bun do not go with.
declare module "ssh2" {
  interface Attributes {
    mode: number;
    size: number;
  }

  export interface FileEntry {
    filename: string;
    attrs: Attributes;
  }

  type Done<T> = (error: Error | null | undefined, value: T) => void;

  export interface SFTPWrapper {
    readdir(path: string, done: Done<FileEntry[]>): void;
    stat(path: string, done: Done<Attributes>): void;
    mkdir(path: string, done: Done<void>): void;
    open(path: string, flags: "r" | "r+", done: Done<Buffer>): void;
    open(path: string, flags: "w", attributes: { mode: number }, done: Done<Buffer>): void;
    read(file: Buffer, into: Buffer, offset: number, length: number, position: number, done: Done<number>): void;
    write(file: Buffer, from: Buffer, offset: number, length: number, position: number, done: Done<void>): void;
    close(file: Buffer, done: Done<void>): void;
    rename(from: string, to: string, done: Done<void>): void;
    unlink(path: string, done: Done<void>): void;
  }

  export interface ConnectConfig {
    host: string;
    port: number;
    username: string;
    password?: string;
    privateKey?: string;
    passphrase?: string;
    readyTimeout: number;
    keepaliveInterval: number;
    tryKeyboard: boolean;
    hostVerifier(key: Buffer): boolean;
  }

  export class Client {
    on(event: "ready" | "close", listener: () => void): this;
    on(event: "error", listener: (error: Error) => void): this;
    on(
      event: "keyboard-interactive",
      listener: (
        name: string,
        instructions: string,
        language: string,
        prompts: readonly unknown[],
        finish: (answers: string[]) => void,
      ) => void,
    ): this;
    connect(config: ConnectConfig): void;
    sftp(done: Done<SFTPWrapper>): void;
    end(): void;
  }
}
