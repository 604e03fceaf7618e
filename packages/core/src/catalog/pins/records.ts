import type { ToolDefinition } from '@toolwright/connectors';
import { parseJson } from '@toolwright/connectors/internal';
import { type SealingKey, seal, unseal } from '@toolwright/pii/internal';
import type { Store } from '@toolwright/storage';
import * as z from 'zod';
import type { ServerRecord, StoredPin } from './pin.ts';

/** The pins of all servers in the store. */
export interface PinRecords {
  /** Returns the record of a server; undefined if the server was never listed. Raises `STORE_UNAVAILABLE`. */
  read(server: string): Promise<ServerRecord | undefined>;
  /** Stores the first record of a server. Returns it, or the record that another process stored before. */
  first(server: string, record: ServerRecord): Promise<ServerRecord>;
  /** Accepts tools of a server. Another process may do so at the same time. */
  accept(server: string, pins: ReadonlyMap<string, StoredPin>): Promise<ServerRecord>;
}

/** The namespace of the pins in the store, with one entry per server. */
export const PINS_NAMESPACE = 'tool-pins';
/** Maximum characters of a stored definition: a longer one has a fingerprint only. */
const MAX_DEFINITION_CHARACTERS = 20_000;
/** Maximum characters of all stored definitions of a server. */
const MAX_RECORD_CHARACTERS = 4_000_000;
const MAX_ATTEMPTS = 10;

const recordSchema = z.object({
  sinceMs: z.number(),
  tools: z.array(
    z.object({
      fingerprint: z.string(),
      content: z.string(),
      serverKey: z.string().optional(),
      approvedAtMs: z.number().optional(),
      /** Name and definition. */
      sealed: z.string(),
    }),
  ),
});

/** The texts of a pinned tool. */
interface PinnedTexts {
  readonly name: string;
  /** Absent when it is too long to be stored. */
  readonly definition?: ToolDefinition | undefined;
}

/** Opens the pins in a store. A damaged record counts as one without pins, so that all tools of its server are new. */
export function openPinRecords(
  store: Store,
  key: () => SealingKey,
  log?: { warn(details: object, message: string): void },
): PinRecords {
  function parse(value: Buffer, server: string): ServerRecord {
    const parsed = recordSchema.safeParse(parseJson(value.toString('utf8')));
    if (parsed.success) {
      const tools = parsed.data.tools.flatMap(({ sealed, ...pin }): [string, StoredPin][] => {
        const texts = openTool(key(), server, sealed);
        return texts ? [[texts.name, { ...pin, definition: texts.definition }]] : [];
      });
      return { sinceMs: parsed.data.sinceMs, tools: new Map(tools) };
    }
    log?.warn({ server }, 'the pins of a server are damaged; run "toolwright tools pins", and approve its tools again');
    return { sinceMs: 0, tools: new Map() };
  }

  async function find(server: string): Promise<{ value: Buffer | undefined; record: ServerRecord | undefined }> {
    const [value] = await store.get(PINS_NAMESPACE, [server]);
    return { value, record: value && parse(value, server) };
  }

  const textOf = (server: string, record: ServerRecord) => sealedText(key(), server, record);
  const read: PinRecords['read'] = async (server) => (await find(server)).record;

  return {
    read,
    async first(server, record) {
      const [isWritten] = await store.put(PINS_NAMESPACE, [{ key: server, value: textOf(server, record), was: null }]);
      return isWritten ? record : ((await read(server)) ?? record);
    },
    async accept(server, pins) {
      for (let attempt = 1; ; attempt++) {
        const { value, record } = await find(server);
        const tools = new Map([...(record?.tools ?? []), ...pins]);
        const next: ServerRecord = { sinceMs: record?.sinceMs ?? Date.now(), tools };
        // The last attempt wins over another process: the pins of both are of people.
        const was = attempt < MAX_ATTEMPTS ? { was: value ?? null } : {};
        const [isWritten] = await store.put(PINS_NAMESPACE, [{ key: server, value: textOf(server, next), ...was }]);
        if (isWritten) return next;
      }
    },
  };
}

function sealedText(key: SealingKey, server: string, { sinceMs, tools }: ServerRecord): string {
  let left = MAX_RECORD_CHARACTERS;
  const stored = [...tools].map(([name, { definition, ...pin }]) => {
    const { length } = JSON.stringify(definition) ?? '';
    const isShort = length <= Math.min(left, MAX_DEFINITION_CHARACTERS);
    if (isShort) left -= length;
    return { ...pin, sealed: sealTool(key, server, isShort ? { name, definition } : { name }) };
  });
  return JSON.stringify({ sinceMs, tools: stored });
}

/** Seals the texts of a tool: they may have personal data, which no store holds in plain text. */
function sealTool(key: SealingKey, server: string, texts: PinnedTexts): string {
  return seal(key, placeOf(server), Buffer.from(JSON.stringify(texts))).toString('base64');
}

/** Opens the sealed texts of a tool. Returns undefined with another key: each data folder has its own, and its own pins. */
function openTool(key: SealingKey, server: string, sealed: string): PinnedTexts | undefined {
  try {
    return JSON.parse(unseal(key, placeOf(server), Buffer.from(sealed, 'base64')).toString('utf8'));
  } catch {
    return undefined;
  }
}

function placeOf(server: string): string[] {
  return ['pin', server];
}
