import { expect, it } from 'vitest';
import { runAttack } from './arena.ts';
import { loadAttacks } from './attack.ts';
import { badSandbox } from './bad-sandbox.ts';

/** How many attacks prove that the judge sees what gets out. */
const PROOFS = 54;
const BOUNDS = { delayMs: Number.POSITIVE_INFINITY, growthBytes: Number.POSITIVE_INFINITY };
const MEMORY_BYTES = 64 * 1024 * 1024;
const attacks = (await loadAttacks()).filter((attack) => attack.badSandbox === 'caught');

it.each(attacks)('$name is caught in a bad sandbox', async (attack) => {
  expect(await runAttack(badSandbox(), attack, BOUNDS, MEMORY_BYTES)).not.toEqual([]);
});

it('lets a harmless program pass even in a bad sandbox', async () => {
  const harmless = {
    name: 'harmless',
    class: 'escape',
    language: 'typescript',
    program: 'return 1',
    badSandbox: 'not-run',
  } as const;
  expect(await runAttack(badSandbox(), harmless, BOUNDS, MEMORY_BYTES)).toEqual([]);
});

it('has as many proofs as it claims', () => expect(attacks).toHaveLength(PROOFS));
