import { parseJson } from '@toolwright/connectors/internal';
import type { Bus, Database } from '@toolwright/storage/internal';
import type { TranscriptReader } from './storage.ts';

/** Lines that one statement reads. */
export const PAGE_LINES = 500;
/** Milliseconds between two looks at rows about which no message arrives. */
export const POLL_MS = 1_000;
/** Characters of lines that a message has. For longer ones it only reports that there are some. */
const MAX_MESSAGE_CHARACTERS = 32_000;

const READ = `select line from toolwright.task_lines where task = $1 and number > $2 order by number limit ${PAGE_LINES}`;

/** Reads lines of a transcript after a position, one page at most. */
export async function readLines(database: Database, id: string, after: number): Promise<string[]> {
  return (await database.read(READ, [id, String(after)])).map(({ line }) => String(line));
}

/** Sends committed lines to the followers in all processes. They read lost ones from the database. */
export function publishLines(bus: Bus, id: string, after: number, lines: readonly string[]): void {
  const size = lines.reduce((sum, { length }) => sum + length, 0);
  bus.publish(topicOf(id), JSON.stringify(size > MAX_MESSAGE_CHARACTERS ? { after } : { after, lines }));
}

/** Reports to all processes that a task has no owner any more. */
export function publishRelease(bus: Bus, id: string): void {
  bus.publish(topicOf(id), '{"released":true}');
}

/** Resolves when a task is released, after a second at the latest. Rejects by the signal. */
export function untilReleased(bus: Bus, id: string, signal?: AbortSignal): Promise<void> {
  const isRelease = (message: string) => Object(parseJson(message)).released === true;
  return untilMessage(bus, topicOf(id), isRelease, signal);
}

/**
 * Follows the lines of a transcript. Messages of the bus carry new lines; where one is missing, and each second without one, the reader
 * looks at the database.
 */
export function transcriptReader(id: string, database: Database, bus: Bus): TranscriptReader {
  let position = 0;
  let received: string[] = [];
  /** Whether the database may have lines that were not received. */
  let isBehind = true;
  let isReading = false;
  let wake = () => {};
  const lookAgain = () => {
    isBehind = true;
    wake();
  };
  const receive = (message: string) => {
    const { after, lines } = Object(parseJson(message));
    const end = position + received.length;
    if (!Number.isInteger(after) || (Array.isArray(lines) && after + lines.length <= end)) return;
    if (!Array.isArray(lines) || isReading || isBehind || after !== end) return lookAgain();
    received.push(...lines.map(String));
    wake();
  };
  const ends = [bus.subscribe(topicOf(id), receive), bus.onGap(lookAgain)];
  const read = async () => {
    isBehind = false;
    isReading = true;
    try {
      const page = await readLines(database, id, position);
      position += page.length;
      if (page.length === PAGE_LINES) isBehind = true;
      return page;
    } catch (error) {
      isBehind = true;
      throw error;
    } finally {
      isReading = false;
    }
  };
  return {
    async next() {
      if (received.length === 0) return isBehind ? read() : [];
      const lines = received;
      received = [];
      position += lines.length;
      return lines;
    },
    async changed(signal) {
      if (received.length > 0 || isBehind || signal?.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(lookAgain, POLL_MS);
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          wake = () => {};
          resolve();
        };
        wake = end;
        signal?.addEventListener('abort', end, { once: true });
      });
    },
    async close() {
      for (const end of ends) end();
    },
  };
}

/** Resolves at a message that `is` accepts, after a second at the latest. Rejects by the signal. */
function untilMessage(
  bus: Bus,
  topic: string,
  is: (message: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const finish = (settle: () => void) => () => {
      clearTimeout(timer);
      end();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const timer = setTimeout(
      finish(() => resolve()),
      POLL_MS,
    );
    const abort = finish(() => reject(signal?.reason));
    const end = bus.subscribe(topic, (message) => {
      if (is(message)) finish(resolve)();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function topicOf(id: string): string {
  return `task:${id}`;
}
