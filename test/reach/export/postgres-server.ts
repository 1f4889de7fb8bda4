// What speaks PostgreSQL's protocol and stores nothing: it keeps the statements with their parameters, and answers as the test says.
import { createServer, type Socket } from "node:net";

export interface Statement {
  text: string;
  parameters: (string | null)[];
}

/** Rows by the names of their columns, all of them texts; or an error by its SQLSTATE. */
export type Reply = Record<string, string | null>[] | { state: string; message: string };

export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  /** In the order in which they were carried out, also those that were answered with an error. */
  readonly statements: Statement[];
  answer: (statement: Statement) => Reply;
  /** How many have logged in. */
  readonly logins: number;
  /** Answers the login with this error. */
  refusal: { state: string; message: string } | undefined;
  /** Cuts all connections. */
  cut(): void;
}

const STARTUP_VERSION = 196_608;
const TEXT = 25;

export async function startPostgresServer(): Promise<PostgresServer> {
  const sockets = new Set<Socket>();
  const statements: Statement[] = [];
  let logins = 0;
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    serve(socket);
  });
  await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
  const { port } = listener.address() as { port: number };

  function serve(socket: Socket): void {
    let input = Buffer.alloc(0);
    let isIn = false;
    let current: Statement = { text: "", parameters: [] };
    let reply: Reply | undefined;
    let isFailed = false;
    const ready = () => socket.write(message("Z", Buffer.from("I")));

    function handle(type: string, body: Buffer): void {
      if (type === "S") {
        isFailed = false;
        ready();
        return;
      }
      if (isFailed) return;
      if (type === "P") {
        current = { text: stringAt(body, stringAt(body, 0).length + 1), parameters: [] };
        reply = undefined;
        socket.write(message("1"));
      } else if (type === "D") {
        const parameters = [...new Set(current.text.match(/\$\d+/g) ?? [])].length;
        socket.write(message("t", int16(parameters), ...Array.from({ length: parameters }, () => int32(TEXT))));
        // The rows decide on the columns; a statement is asked once, with what it is known by.
        reply = serverOf.answer(current);
        socket.write("state" in reply ? message("n") : described(reply));
      } else if (type === "B") {
        current = { ...current, parameters: parametersIn(body) };
        socket.write(message("2"));
      } else if (type === "E") {
        statements.push(current);
        const found = serverOf.answer(current);
        if ("state" in found) {
          isFailed = true;
          socket.write(errorOf(found));
          return;
        }
        for (const row of found) socket.write(dataOf(row));
        socket.write(message("C", Buffer.from(`SELECT ${found.length}\0`)));
      } else if (type === "Q") {
        const statement = { text: stringAt(body, 0), parameters: [] };
        statements.push(statement);
        const found = serverOf.answer(statement);
        if ("state" in found) socket.write(errorOf(found));
        else {
          if (found.length > 0) socket.write(Buffer.concat([described(found), ...found.map(dataOf)]));
          socket.write(message("C", Buffer.from(`SELECT ${found.length}\0`)));
        }
        ready();
      }
    }

    function startup(): boolean {
      if (input.length < 8) return false;
      const length = input.readInt32BE(0);
      if (input.length < length) return false;
      const isStartup = input.readInt32BE(4) === STARTUP_VERSION;
      input = input.subarray(length);
      // It has no TLS.
      if (!isStartup) socket.write("N");
      else if (serverOf.refusal) socket.end(errorOf(serverOf.refusal));
      else {
        logins++;
        isIn = true;
        socket.write(message("R", int32(0)));
        ready();
      }
      return true;
    }

    socket.on("data", (chunk: Buffer) => {
      input = Buffer.concat([input, chunk]);
      while (!isIn && startup());
      while (isIn && input.length >= 5 && input.length > input.readInt32BE(1)) {
        const end = 1 + input.readInt32BE(1);
        const type = String.fromCharCode(input[0] ?? 0);
        const body = input.subarray(5, end);
        input = input.subarray(end);
        handle(type, body);
      }
    });
  }

  const serverOf: PostgresServer = {
    url: `postgres://127.0.0.1:${port}/house`,
    statements,
    answer: () => [],
    get logins() {
      return logins;
    },
    refusal: undefined,
    cut: () => sockets.forEach((socket) => void socket.destroy()),
    async [Symbol.asyncDispose]() {
      serverOf.cut();
      await new Promise((done) => listener.close(done));
    },
  };
  return serverOf;
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function described(rows: readonly Record<string, unknown>[]): Buffer {
  const [first] = rows;
  if (!first) return message("n");
  const columns = Object.keys(first).map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(TEXT), int16(-1), int32(-1), int16(0)]),
  );
  return message("T", int16(columns.length), ...columns);
}

function dataOf(row: Record<string, string | null>): Buffer {
  const values = Object.values(row).map((value) =>
    value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
  );
  return message("D", int16(values.length), ...values);
}

function errorOf({ state, message: text }: { state: string; message: string }): Buffer {
  return message("E", Buffer.from(`SERROR\0VERROR\0C${state}\0M${text}\0\0`));
}

/** Of a Bind: as texts. */
function parametersIn(body: Buffer): (string | null)[] {
  let at = stringAt(body, 0).length + 1;
  at += stringAt(body, at).length + 1;
  at += 2 + 2 * body.readInt16BE(at);
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at);
    at += 4 + Math.max(0, length);
    return length < 0 ? null : body.toString("utf8", at - length, at);
  });
}

function stringAt(body: Buffer, from: number): string {
  return body.toString("latin1", from, body.indexOf(0, from));
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}
