import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Language } from '../../packages/sandbox/src/languages/language.ts';
import type { PoolSettings } from '../../packages/sandbox/src/sandboxes/pooled.ts';
import type { Sandbox, SandboxProbe } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import type { Area } from '../fixtures/areas.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { loadAttacks, type NamedAttack } from './attack.ts';
import { outcomesFile, outcomesPage } from './outcomes.ts';
import { runAttack } from './run-attack.ts';

/** A sandbox that is to be attacked. */
export interface Target {
  readonly name: string;
  /** What it needs, where npm packages are not enough. */
  readonly area?: Area;
  /** The languages it claims. */
  readonly languages: readonly Language['name'][];
  /** Where it does not run one of them, the attacks in it are skipped, and the reason shows. */
  readonly probe: (guest: Language['guest']) => Promise<SandboxProbe>;
  readonly create: (pool: PoolSettings) => Sandbox | Promise<Sandbox>;
  /** What is left of its guests on this machine after it was closed. */
  readonly leftovers: () => readonly string[] | Promise<readonly string[]>;
  /** Set where a guest takes so long to start that only `npm run test:all` has the time. */
  readonly slow?: true;
  /** Of how many attacks one runs by default, for what else would take all the time of a check. Default 1: all do. */
  readonly oneOf?: number;
  /** Memory of each guest. Default 64 MiB. */
  readonly memoryBytes?: number;
}

/** As many as vitest runs at once, see `maxConcurrency` in its configuration. */
const PARALLEL = 8;
/** The tenants of one attack: nobody's process need end to make room for another's. */
const TENANTS = 3;
const GUESTS = { typescript: 'javascript', python: 'python' } as const;
const MB = 1024 * 1024;
/** Each attack alone, too, and those on slow sandboxes. */
const ALL = process.env.TOOLWRIGHT_ATTACKS === 'all';
const SHORT = 'the short form runs';
const ALONE = { delayMs: 5_000, growthBytes: 300 * MB };
const CROWDED = { delayMs: 20_000, growthBytes: 1_024 * MB };

/**
 * Registers the attacks in the languages of a sandbox: 8 at a time, and one by one with `TOOLWRIGHT_ATTACKS=all`
 * (`npm run test:attacks`), which takes three times as long.
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
    it('no guest is left over', async () => {
      await sandbox[Symbol.asyncDispose]();
      expect(await leftovers()).toEqual([]);
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
