// A small SFTP server on 127.0.0.1, by the server side of ssh2: one login, its files in a folder of this machine.
import { generateKeyPairSync } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import * as ssh2 from "ssh2";

export const LOGIN = { username: "anna", password: "password of anna" };
const [OK, EOF, NO_SUCH_FILE, FAILURE] = [0, 1, 2, 4];

interface Attempt {
  method: string;
  username: string;
  password?: string;
  accept(): void;
  reject(): void;
}
type Listener = (...args: never[]) => void;
interface Emitter {
  on(event: string, listener: Listener): this;
}
interface Stream extends Emitter {
  status(id: number, code: number): void;
  handle(id: number, handle: Buffer): void;
  data(id: number, data: Buffer): void;
  attrs(id: number, attributes: object): void;
  name(id: number, names: object[]): void;
}
interface SshServer extends Emitter {
  listen(port: number, host: string, done: () => void): void;
  address(): { port: number };
  close(done: () => void): void;
}
const { Server } = ssh2 as unknown as {
  Server: new (options: { hostKeys: string[] }, onClient: (client: Emitter & { end(): void }) => void) => SshServer;
};

export interface SftpServer extends AsyncDisposable {
  readonly port: number;
  /** What it refuses all writes with, such as a full disk. */
  isFull: boolean;
  /** After so many bytes it takes no more. */
  roomFor: number;
  /** Bytes that were sent to it. */
  written: number;
}

/** Each has a key of its own. */
export async function startSftpServer(folder: string, port = 0): Promise<SftpServer> {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "pkcs1", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const clients = new Set<{ end(): void }>();
  const server = new Server({ hostKeys: [privateKey] }, (client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("close", () => void clients.delete(client));
    client.on("authentication", (attempt: Attempt) => {
      const isRight = attempt.username === LOGIN.username && attempt.password === LOGIN.password;
      if (attempt.method === "password" && isRight) attempt.accept();
      else attempt.reject();
    });
    client.on("session", (accept: () => Emitter) => {
      accept().on("sftp", (acceptSftp: () => Stream) => serve(acceptSftp()));
    });
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));

  function serve(sftp: Stream): void {
    const open = new Map<number, { file: number } | { names: string[]; folder: string }>();
    const at = (path: string): string => join(folder, path);
    const answer = (id: number, work: () => void): void => {
      try {
        work();
      } catch (error) {
        sftp.status(id, (error as { code?: string }).code === "ENOENT" ? NO_SUCH_FILE : FAILURE);
      }
    };
    const done = (id: number, work: () => void): void =>
      answer(id, () => {
        work();
        sftp.status(id, OK);
      });
    const opened = (id: number, what: { file: number } | { names: string[]; folder: string }): void => {
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(open.size + 1);
      open.set(open.size + 1, what);
      sftp.handle(id, handle);
    };
    const of = (handle: Buffer) => open.get(handle.readUInt32BE()) ?? { names: [], folder };
    const attributesOf = (path: string) => {
      const { mode, size, uid, gid, atimeMs, mtimeMs } = statSync(path);
      return { mode, size, uid, gid, atime: atimeMs / 1000, mtime: mtimeMs / 1000 };
    };
    sftp.on("OPEN", (id: number, path: string, flags: number) =>
      answer(id, () => opened(id, { file: openSync(at(path), modeOf(flags)) })),
    );
    sftp.on("READ", (id: number, handle: Buffer, offset: number, length: number) =>
      answer(id, () => {
        const one = of(handle);
        const buffer = Buffer.alloc(length);
        const got = "file" in one ? readSync(one.file, buffer, 0, length, offset) : 0;
        if (got === 0) sftp.status(id, EOF);
        else sftp.data(id, buffer.subarray(0, got));
      }),
    );
    sftp.on("WRITE", (id: number, handle: Buffer, offset: number, data: Buffer) =>
      done(id, () => {
        const one = of(handle);
        if (self.isFull || !("file" in one)) throw new Error("full");
        if (self.written >= self.roomFor) throw new Error("full");
        self.written += data.length;
        writeSync(one.file, data, 0, data.length, offset);
      }),
    );
    sftp.on("CLOSE", (id: number, handle: Buffer) =>
      done(id, () => {
        const one = of(handle);
        if ("file" in one) closeSync(one.file);
      }),
    );
    sftp.on("OPENDIR", (id: number, path: string) =>
      answer(id, () => opened(id, { names: readdirSync(at(path)), folder: at(path) })),
    );
    sftp.on("READDIR", (id: number, handle: Buffer) =>
      answer(id, () => {
        const one = of(handle);
        const names = "names" in one ? one.names.splice(0) : [];
        if (names.length === 0 || !("folder" in one)) return sftp.status(id, EOF);
        const { folder: parent } = one;
        const entries = names.map((filename) => ({
          filename,
          longname: filename,
          attrs: attributesOf(join(parent, filename)),
        }));
        sftp.name(id, entries);
      }),
    );
    sftp.on("STAT", (id: number, path: string) => answer(id, () => sftp.attrs(id, attributesOf(at(path)))));
    sftp.on("MKDIR", (id: number, path: string) => done(id, () => mkdirSync(at(path))));
    sftp.on("REMOVE", (id: number, path: string) => done(id, () => unlinkSync(at(path))));
    sftp.on("RENAME", (id: number, from: string, to: string) => done(id, () => renameSync(at(from), at(to))));
  }

  const self: SftpServer = {
    port: server.address().port,
    isFull: false,
    roomFor: Number.POSITIVE_INFINITY,
    written: 0,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.end();
      await new Promise<void>((ended) => server.close(ended));
    },
  };
  return self;
}

/** By the bits of the protocol: 2 to write, 16 to begin anew. */
function modeOf(flags: number): "r" | "r+" | "w" {
  if ((flags & 2) === 0) return "r";
  return (flags & 16) === 0 ? "r+" : "w";
}
