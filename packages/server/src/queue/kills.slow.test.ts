import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '@toolwright/storage/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { linesOf } from '../../../../test/fixtures/contents.ts';
import { createRandom, type Random } from '../../../../test/fixtures/random.ts';
import { bundleProgram } from '../../../../test/fixtures/sources.ts';
import { rowQueue } from './rows.ts';

// Inside the repository, so that packages are found.
const host = fileURLToPath(new URL(`../../../../.toolwright/test/queue-host-${process.pid}.mjs`, import.meta.url));
const LEASE_MS = 400;
const KILLS = 12;
const LATEST_STEP = 40;
const NEVER = 0;

const children = new Set<ChildProcess>();
beforeAll(() =>
  bundleProgram(fileURLToPath(new URL('../../../../test/fixtures/queue-host.ts', import.meta.url)), host),
);
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(host, { force: true });
});

interface Note {
  readonly did: 'submitted' | 'claimed' | 'finished';
  readonly id: string;
  readonly fence?: number;
  readonly lostMs?: number;
}

/** Starts a process on the queue in a folder. At a step of its transactions, it stands still, and `held` resolves with the place. */
function startHost(args: readonly unknown[]) {
  const child = spawn(process.execPath, [host, ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  const ended = once(child, 'exit').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  const isEarly = ended.then((code) => Promise.reject(new Error(`a process ended with ${code}`)));
  const held = Promise.race([once(child.stdout, 'data').then(([text]) => String(text).trim()), isEarly]);
  held.catch(() => undefined);
  return {
    ended,
    held,
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
    /** Lets the process end when no work is left. */
    finish() {
      child.stdin.end();
      return ended;
    },
  };
}

/** Kills one of two processes, again and again, where it stands still. Returns the places. Then a third one ends all work. */
async function killAgainAndAgain(start: (holdAt: number) => ReturnType<typeof startHost>, random: Random) {
  const holding = () => start(random.integer(1, LATEST_STEP));
  const running = [holding(), holding()];
  const places: string[] = [];
  while (places.length < KILLS) {
    const [index, place] = await Promise.race(running.map(({ held }, at) => held.then((text) => [at, text] as const)));
    places.push(place);
    await running[index]?.kill();
    running[index] = holding();
  }
  const last = start(NEVER);
  await Promise.all(running.map(({ kill }) => kill()));
  expect(await last.finish()).toBe(0);
  return places;
}

it.each([1, 2, 3])(
  'each work on one data folder is done once while processes are killed in the middle of claims and ends (seed %i)',
  async (seed) => {
    const folder = temporaryFolder();
    const [path, log] = [join(folder, 'state.db'), join(folder, 'log')];
    const key = randomBytes(32);
    const random = createRandom(seed);
    const start = (holdAt: number) =>
      startHost([path, key.toString('hex'), log, LEASE_MS, random.below(2 ** 31), holdAt]);
    const places = await killAgainAndAgain(start, random);
    expect([...new Set(places)].sort()).toEqual(['after a transaction', 'in a transaction']);

    const notes = linesOf(log).map((line): Note => JSON.parse(line));
    const of = (did: Note['did']) => notes.filter((note) => note.did === did);
    await using queue = rowQueue({ database: openSqlite(path), key });
    const outcomes = await queue.outcomes(of('submitted').map(({ id }) => id));
    expect(outcomes).toHaveLength(of('submitted').length);
    expect(outcomes.filter(({ state }) => state !== 'ended')).toEqual([]);
    const results = new Map(outcomes.map(({ id, result }) => [id, result]));
    const finished = of('finished').filter(({ id }) => results.has(id));
    expect(new Set(finished.map(({ id }) => id)).size).toBe(finished.length);
    expect(finished.filter(({ id, fence }) => Object(results.get(id)).fence !== fence)).toEqual([]);
    const claims = of('claimed').map(({ id, fence }) => `${id} ${fence}`);
    expect(new Set(claims).size).toBe(claims.length);
    const lost = of('claimed').flatMap(({ lostMs }) => lostMs ?? []);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.filter((ms) => ms < LEASE_MS)).toEqual([]);

    await using database = openSqlite(path);
    const wrong = `select user_id from toolwright.work_users where ready <> 0 or running <> 0
      union all select user_id from toolwright.work where state <> 'ended'`;
    expect(await database.read(wrong)).toEqual([]);
  },
);
