import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Language } from '../../packages/sandbox/src/languages/language.ts';
import type { PoolSettings } from '../../packages/sandbox/src/sandboxes/pool/pooled.ts';
import type { Sandbox, SandboxProbe } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import type { Area } from '../fixtures/areas.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { until } from '../fixtures/server.ts';
import { loadAttacks, type NamedAttack } from './attack.ts';
import { outcomesFile, outcomesPage } from './outcomes.ts';
import { runAttack } from './run-attack.ts';

/** A sandbox under attack. */
export interface Target {
  readonly name: string;
  /** The requirements of the sandbox beyond npm packages. */
  readonly area?: Area;
  /** The languages of the sandbox. */
  readonly languages: readonly Language['name'][];
  /** Checks a language. Attacks in an unavailable language are skipped, with the reason. */
  readonly probe: (guest: Language['guest']) => Promise<SandboxProbe>;
  readonly create: (pool: PoolSettings) => Sandbox | Promise<Sandbox>;
  /** Returns the remaining guests on this machine after the sandbox was closed. */
  readonly leftovers: () => readonly string[] | Promise<readonly string[]>;
  /** Set if guests start so slowly that only `npm run test:all` runs the attacks. */
  readonly slow?: true;
  /** Runs one of this many attacks by default, for sandboxes that would take too long. Default: 1, which runs all. */
  readonly oneOf?: number;
  /** Memory of each guest. Default 64 MiB. */
  readonly memoryBytes?: number;
}

/** The same as `maxConcurrency` in the configuration of vitest. */
const PARALLEL = 8;
/** The tenants of one attack: no process must end to provide a slot for another tenant. */
const TENANTS = 3;
const GUESTS = { typescript: 'javascript', python: 'python' } as const;
const MB = 1024 * 1024;
/** Whether to run each attack alone too, and the attacks on slow sandboxes. */
const ALL = process.env.TOOLWRIGHT_ATTACKS === 'all';
const SHORT = 'the short form runs';
const ALONE = { delayMs: 5_000, growthBytes: 300 * MB };
const CROWDED = { delayMs: 20_000, growthBytes: 1_024 * MB };

/**
 * Registers the attacks in the languages of a sandbox: 8 at a time, and one by one with `TOOLWRIGHT_ATTACKS=all` (`npm
 * run test:all`). One by one takes three times as long.
 */
export async function attackSandbox({
  name,
  area,
  languages,
  probe,
  create,
  leftovers,
  slow,
  oneOf = 1,
  memoryBytes = 64 * MB,
}: Target): Promise<void> {
  const attacks: NamedAttack[] = [];
  const all = await loadAttacks();
  for (const language of languages) {
    const own = all.filter((attack) => attack.language === language);
    const runs = (_: NamedAttack, index: number) => ALL || (!slow && index % oneOf === 0);
    const missing = missingSandbox(await probe(GUESTS[language]));
    if (missing === undefined) {
      attacks.push(...own.filter(runs));
      skip(
        'long',
        SHORT,
        name,
        own.filter((attack, index) => !runs(attack, index)),
      );
    } else if (area === undefined) throw new Error(`attacks on ${name}: ${missing}`);
    else skip(area, missing, name, own);
  }
  if (attacks.length === 0) return;
  const sandbox = await create({ maxProcesses: PARALLEL * TENANTS, warmMemoryBytes: memoryBytes });
  const outcomes = new Map<NamedAttack, readonly string[]>();

  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    if (process.env.TOOLWRIGHT_WRITE_OUTCOMES !== '1') return;
    const file = outcomesFile(name);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, outcomesPage(name, attacks, outcomes));
  });

  needs('long', ALL ? undefined : SHORT).describe(`attacks on ${name}, one by one`, () => {
    it.each(attacks)('$language: $name', async (attack) => {
      const violations = await runAttack(sandbox, attack, ALONE, memoryBytes);
      outcomes.set(attack, violations);
      expect(violations, violations.join('; ')).toEqual([]);
    });
  });

  describe(`attacks on ${name}, ${PARALLEL} at a time`, () => {
    it.concurrent.each(attacks)('$language: $name', async (attack) => {
      const violations = await runAttack(sandbox, attack, CROWDED, memoryBytes);
      outcomes.set(attack, [...(outcomes.get(attack) ?? []), ...violations]);
      expect(violations, violations.join('; ')).toEqual([]);
    });
  });

  describe(`after the attacks on ${name}`, () => {
    it('no guest is left', async () => {
      await sandbox[Symbol.asyncDispose]();
      // The kernel ends the last process a moment after its sandbox has let it go.
      await until(async () => (await leftovers()).length === 0);
    });
  });
}

/** Registers attacks that do not run, for the skip report. */
function skip(area: Area, missing: string, sandbox: string, attacks: readonly NamedAttack[]): void {
  if (attacks.length === 0) return;
  needs(area, missing).describe(`attacks on ${sandbox}`, () => {
    it.each(attacks)('$language: $name', () => undefined);
  });
}
