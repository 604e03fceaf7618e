import { describe, expect, it } from 'vitest';
import { needs } from '../fixtures/needs.ts';
import { withoutPython } from '../fixtures/plain-python.ts';
import { shortForm } from '../fixtures/short-form.ts';
import { loadAttacks, type NamedAttack } from './attack.ts';
import { badSandbox } from './bad-sandbox.ts';
import { runAttack } from './run-attack.ts';

/** Number of attacks that the judge must catch in the bad sandbox. */
const CAUGHT_ATTACKS = { typescript: 72, python: 40 };
const BOUNDS = { delayMs: Number.POSITIVE_INFINITY, growthBytes: Number.POSITIVE_INFINITY };
const MEMORY_BYTES = 64 * 1024 * 1024;
const all = await loadAttacks();

function runInBadSandbox(attack: NamedAttack): Promise<string[]> {
  return runAttack(badSandbox(), attack, BOUNDS, MEMORY_BYTES);
}

describe.each(['typescript', 'python'] as const)('in a bad sandbox for %s', (language) => {
  const attacks = all.filter((attack) => attack.badSandbox === 'caught' && attack.language === language);
  const run = shortForm(attacks, 12);

  needs('python', language === 'python' ? withoutPython : undefined).describe('under attack', () => {
    it.concurrent.each(run)('$name is caught', async (attack) => {
      expect(await runInBadSandbox(attack)).not.toEqual([]);
    });

    it('a harmless program passes', async () => {
      const harmless = { name: 'harmless', class: 'none', language, program: '1', badSandbox: 'not-run' } as const;
      expect(await runInBadSandbox(harmless)).toEqual([]);
    });
  });

  it('there are as many caught attacks as claimed', () => expect(attacks).toHaveLength(CAUGHT_ATTACKS[language]));
});
