import { readdirSync } from 'node:fs';
import type { Limits } from '../../src/execution/limits.ts';
import type { FinishedRun } from '../../src/sandboxes/conformance.ts';
import type { Plants } from './plants.ts';

export type AttackClass =
  | 'escape'
  | 'pollution'
  | 'globals'
  | 'files'
  | 'modules'
  | 'bridge'
  | 'bombs'
  | 'late'
  | 'leaks'
  | 'state';

/** One attempt of a guest program to do what it may not. Judged by its effect, never by its words. */
export interface Attack {
  readonly class: AttackClass;
  readonly program?: string;
  readonly makeProgram?: (plants: Plants) => string;
  readonly note?: string;
  readonly limits?: Partial<Limits>;
  /** Whether the deliberately bad sandbox lets it through, so that the judge must catch it there. */
  readonly badSandbox: 'caught' | 'not-run';
  /** Plants something in the attacker's workspace from the host's side, before the program. */
  readonly prepare?: (plants: Plants) => Promise<void>;
  /** A program of another tenant, run right after; it must give 'clean'. */
  readonly next?: string;
  /** A violation that only this attack can tell from its run. */
  readonly judge?: (run: FinishedRun, plants: Plants) => string | undefined;
}

export interface NamedAttack extends Attack {
  readonly name: string;
}

/** Loads all cases of the folder `cases`. */
export async function loadAttacks(): Promise<readonly NamedAttack[]> {
  const files = readdirSync(new URL('cases/', import.meta.url)).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file.replace(/\.ts$/, '');
      const module: { readonly default: Attack } = await import(`./cases/${name}.ts`);
      return { name, ...module.default };
    }),
  );
}

/** A program that takes what it can from something that may be the host's `process`. */
export function steal({ envName, secretFile, canaryFile }: Plants, expression: string): string {
  return `const loot = [];
const attempt = async (work) => { try { loot.push(String(await work())) } catch (error) { loot.push(String(error)) } };
const found = await (async () => (${expression}))();
await attempt(() => found);
await attempt(() => found.env[${JSON.stringify(envName)}]);
await attempt(() => found.getBuiltinModule('node:fs').readFileSync(${JSON.stringify(secretFile)}, 'utf8'));
await attempt(() => found.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(canaryFile)}, 'stolen'));
console.log(loot.join(' '));
return loot;`;
}
