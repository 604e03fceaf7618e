import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../fixtures/sources.ts';
import { type FuzzProgram, generatePrograms } from './programs.ts';
import type { FuzzReply } from './serving-process.ts';

/** Fixed, so that a failure can be repeated. Another one: TOOLWRIGHT_FUZZ_SEED. */
const SEED = Number(process.env.TOOLWRIGHT_FUZZ_SEED ?? 20_261);
/** All of them with `npm run test:all`, fewer in `npm test`. */
const PROGRAMS = process.env.TOOLWRIGHT_SUITE === 'all' ? 10_000 : 1_000;
const AT_ONCE = 8;
const MAX_TURN_MS = 50;
/** The errors that a program may cause. */
const KNOWN = new Set(['ok', 'SYNTAX', 'SOURCE_TOO_COMPLEX', 'INVALID_ARGUMENTS']);
// Inside the repository, so that packages are found.
const host = fileURLToPath(new URL(`../../.toolwright/test/fuzz-${process.pid}.mjs`, import.meta.url));

let serving: ChildProcess;
beforeAll(async () => {
  await bundleProgram(fileURLToPath(new URL('./serving-process.ts', import.meta.url)), host);
  serving = fork(host, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
});
afterAll(() => {
  serving.kill('SIGKILL');
  rmSync(host, { force: true });
});

test(`${PROGRAMS} generated programs neither end nor block the process that serves others (seed ${SEED})`, async () => {
  const programs = generatePrograms(SEED, PROGRAMS);
  const pending = new Map<number, FuzzProgram>();
  const surprises: string[] = [];
  const counts = new Map<string, number>();
  let longestTurnMs = 0;
  let sent = 0;
  const send = () => {
    const { value } = programs.next();
    if (!value) return;
    pending.set(++sent, value);
    serving.send({ id: sent, ...value });
  };
  const done = new Promise<void>((resolve) => {
    serving.on('message', ({ id, codes, longestTurnMs: longest }: FuzzReply) => {
      const program = pending.get(id);
      pending.delete(id);
      longestTurnMs = Math.max(longestTurnMs, longest);
      for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
      const strange = codes.filter((code) => !KNOWN.has(code));
      if (strange.length > 0) surprises.push(`${strange.join()} for ${JSON.stringify(program?.text.slice(0, 300))}`);
      send();
      if (pending.size === 0) resolve();
    });
  });
  for (let at = 0; at < AT_ONCE; at++) send();
  const ended = once(serving, 'exit').then(([code, signal]) => {
    const texts = [...pending.values()].map(({ text }) => text.slice(0, 200));
    throw new Error(`The process ended with ${signal ?? code} while it read: ${JSON.stringify(texts)}`);
  });
  ended.catch(() => undefined);
  await Promise.race([done, ended]);

  expect(surprises.slice(0, 10)).toEqual([]);
  expect(counts.get('ok')).toBeGreaterThan(PROGRAMS / 4);
  expect(counts.get('SYNTAX')).toBeGreaterThan(PROGRAMS / 20);
  expect(counts.get('SOURCE_TOO_COMPLEX')).toBeGreaterThan(0);
  expect(longestTurnMs).toBeLessThan(MAX_TURN_MS);
}, 600_000);
