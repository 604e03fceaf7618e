import {
  leaves,
  mcpClient,
  program,
  recording,
  recordingPython,
  upstreamError,
  type Work,
  withKey,
} from './clients.ts';
import { session, skill, slowReader, task } from './stored-data.ts';

/** The kinds of work, with their share of all. */
const KINDS: readonly (readonly [share: number, name: string, work: (work: Work) => Promise<void>])[] = [
  [4, 'TypeScript', program('typescript', recording)],
  [2, 'Python', program('python', recordingPython)],
  [4, 'with a key', withKey],
  [3, 'sessions', session],
  [2, 'MCP clients', mcpClient],
  [2, 'searches', async ({ requests }) => void (await requests.send('/tools?query=record%20an%20effect'))],
  [1, 'skills', skill],
  [1, 'tasks', task],
  [2, 'clients that leave', leaves],
  [1, 'slow readers', slowReader],
  [1, 'upstream errors', upstreamError],
];
const ALL = KINDS.flatMap(([share, name, work]) => Array.from({ length: share }, () => ({ name, work })));

/** Works like one client until the signal aborts. */
export async function loadUntil(signal: AbortSignal, work: Work): Promise<void> {
  while (!signal.aborted) {
    const kind = work.random.pick(ALL);
    await kind.work(work);
    work.requests.count(kind.name);
  }
}
