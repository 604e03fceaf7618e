import { openPostgres, type Postgres, type PostgresOptions } from '../postgres/connection.ts';
import { unavailable } from '../store.ts';
import { type BlobStore, PAGE_BLOBS, piecesOf, requireBlobKey } from './blob.ts';

const CHUNK_BYTES = 1024 * 1024;
const PURGE_INTERVAL_MS = 600_000;
const MOST_PURGED = 100;

const START = 'insert into toolwright.contents default values returning id::text';
const ADD = 'insert into toolwright.chunks (content, number, bytes) values ($1, $2, $3)';
const FIND = 'select content::text, size::text from toolwright.blobs where key = $1';
const READ = 'select bytes from toolwright.chunks where content = $1 and number = $2';
const LIST = `select key, size::text from toolwright.blobs
  where starts_with(key, $1) and key >= $1 and ($2::text is null or key > $2) order by key limit ${PAGE_BLOBS}`;

/** Keeps blobs in a PostgreSQL database, in chunks of 1 MB. For some gigabytes; larger ones belong into object storage. */
export function postgresBlobs(options: PostgresOptions): BlobStore {
  const database = openPostgres(options);
  const { read, write } = database;
  let purgedAt = performance.now();
  return {
    name: 'postgres',
    async put(key, content) {
      requireBlobKey(key);
      const [row] = await write(START);
      const id = String(row?.id);
      let bytes = 0;
      let number = 0;
      for await (const piece of piecesOf(content, CHUNK_BYTES)) {
        await write(ADD, [id, number++, piece]);
        bytes += piece.length;
      }
      await write('select toolwright.put_blob($1, $2, $3)', [key, id, bytes]);
      if (performance.now() - purgedAt > PURGE_INTERVAL_MS) {
        purgedAt = performance.now();
        // Nobody sees removable contents. The next purge removes the rest.
        write('select toolwright.purge_contents($1)', [MOST_PURGED]).catch(() => undefined);
      }
      return bytes;
    },
    async get(key) {
      const [row] = await read(FIND, [requireBlobKey(key)]);
      return row && { bytes: Number(row.size), content: chunksOf(database, String(row.content), Number(row.size)) };
    },
    async delete(keys) {
      if (keys.length > 0) await write('select toolwright.delete_blobs($1::text[])', [keys.map(requireBlobKey)]);
    },
    async *list(prefix) {
      let last: string | null = null;
      for (;;) {
        const page: { key: string; bytes: number }[] = (await read(LIST, [prefix, last])).map(({ key, size }) => ({
          key: String(key),
          bytes: Number(size),
        }));
        if (page.length > 0) yield page;
        if (page.length < PAGE_BLOBS) return;
        last = page.at(-1)?.key ?? null;
      }
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function* chunksOf({ read, address }: Postgres, id: string, size: number): AsyncGenerator<Buffer> {
  for (let number = 0, left = size; left > 0; number++) {
    const [row] = await read(READ, [id, number]);
    if (!Buffer.isBuffer(row?.bytes)) {
      const message = `A blob in PostgreSQL at ${address} was removed more than an hour ago, while it was read. Read it again.`;
      throw unavailable(message, undefined);
    }
    left -= row.bytes.length;
    yield row.bytes;
  }
}
