import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { childrenOf, mayRaisePriority, setNiceness } from './processor.ts';

/** A process with several threads, and with a child in another session. */
const TREE = `
const child = require('node:child_process').spawn('sleep', ['60'], { detached: true });
child.once('spawn', () => console.log('up'));
process.once('exit', () => child.kill());
process.once('SIGTERM', () => process.exit());
`;

async function startTree(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', TREE], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return Object.assign(child, { pid: child.pid ?? 0 });
}

/** Returns the different nicenesses of all threads, and those of the sessions where the kernel has them. */
function nicenessesOf(pids: readonly number[]): { readonly threads: number[]; readonly sessions: number[] } {
  const threads = pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread))));
  const sessions = pids.flatMap((pid) => {
    try {
      return [Number(/ nice (-?\d+)$/m.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1])];
    } catch {
      return [];
    }
  });
  return { threads: [...new Set(threads)], sessions: [...new Set(sessions)] };
}

test.runIf(process.platform === 'linux' && mayRaisePriority())(
  'a niceness holds for all threads, descendants and sessions of a process, and ends for all of them',
  async () => {
    const tree = await startTree();
    const pids = [tree.pid, ...childrenOf(tree.pid)];
    expect(pids).toHaveLength(2);
    const usual = nicenessesOf(pids);
    expect(setNiceness(tree.pid, 10)).toBe(true);
    const low = nicenessesOf(pids);
    expect([low.threads, low.sessions]).toEqual([[10], usual.sessions.map(() => 10)]);
    expect(setNiceness(tree.pid, 0)).toBe(true);
    expect(nicenessesOf(pids)).toEqual({ threads: [0], sessions: usual.sessions });
    tree.kill();
  },
);

test('a process that has ended has no part with another priority', async () => {
  const child = spawn('true', { detached: true });
  await once(child, 'exit');
  expect(setNiceness(child.pid ?? 0, 10)).toBe(true);
});
