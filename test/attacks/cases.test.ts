import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { quickjsSandbox } from '../../src/sandboxes/quickjs.ts';
import { childrenOf } from '../fixtures/processes.ts';
import { runAttack } from './arena.ts';
import { loadAttacks } from './attack.ts';
import { outcomesTable } from './outcomes.ts';

/** As many as vitest runs at once, see `maxConcurrency` in its configuration. */
const PARALLEL = 8;
const MB = 1024 * 1024;
const attacks = await loadAttacks();
const outcomes = new Map<string, readonly string[]>();
const sandbox = quickjsSandbox({ maxProcesses: PARALLEL });

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  if (process.env.TOOLWRIGHT_WRITE_OUTCOMES === '1') {
    writeFileSync(new URL('outcomes.md', import.meta.url), outcomesTable(sandbox.name, attacks, outcomes));
  }
});

describe('one by one', () => {
  it.each(attacks)('$name', async (attack) => {
    const violations = await runAttack(sandbox, attack, { delayMs: 5_000, growthBytes: 300 * MB });
    outcomes.set(attack.name, violations);
    expect(violations).toEqual([]);
  });
});

describe(`${PARALLEL} at a time`, () => {
  it.concurrent.each(attacks)('$name', async (attack) => {
    const violations = await runAttack(sandbox, attack, { delayMs: 20_000, growthBytes: 1_024 * MB });
    expect(violations).toEqual([]);
  });
});

describe('afterwards', () => {
  it('no process is left over', async () => {
    await sandbox[Symbol.asyncDispose]();
    expect(childrenOf().filter(({ command }) => command.includes('guest/quickjs.js'))).toEqual([]);
  });
});
