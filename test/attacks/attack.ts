import { readdirSync } from 'node:fs';
import type { FinishedRun } from '../../packages/core/src/execution/conformance.ts';
import type { Limits } from '../../packages/core/src/execution/limits.ts';
import type { Language } from '../../packages/sandbox/src/languages/language.ts';
import type { Canaries } from './canaries.ts';

/** One attempt of a guest program to do what it may not. Judged by its effect, never by its words. */
export interface Attack {
  readonly program?: string;
  readonly makeProgram?: (canaries: Canaries) => string;
  readonly limits?: Partial<Limits>;
  /** Whether the deliberately bad sandbox lets it through, so that the judge must catch it there. */
  readonly badSandbox: 'caught' | 'not-run';
  /** Plants something in the attacker's workspace from the host's side, before the program. */
  readonly prepare?: (canaries: Canaries) => Promise<void>;
  /** The next program of the attacker and of a bystander, in place of a harmless one; it must give 'clean'. */
  readonly next?: string;
  /** Whom `next` is for, when what the attacker left may be there for the attacker himself. Default both. */
  readonly nextOf?: 'bystander';
  /** How long the attacker's work is waited for after the end of its program, milliseconds. Default none. */
  readonly lingerMs?: number;
  /** A violation that only this attack can tell from its run. */
  readonly judge?: (run: FinishedRun, canaries: Canaries) => string | undefined;
}

/** The attacks of one class in one language, by name: what a file in `cases/<language>/<class>.ts` holds. */
export type Attacks = Readonly<Record<string, Attack>>;

export interface NamedAttack extends Attack {
  readonly name: string;
  readonly class: string;
  readonly language: Language['name'];
}

const LANGUAGES: readonly Language['name'][] = ['typescript', 'python'];

/** Loads all attacks of `cases`. */
export async function loadAttacks(): Promise<readonly NamedAttack[]> {
  const loaded = await Promise.all(LANGUAGES.map(loadLanguage));
  return loaded.flat();
}

async function loadLanguage(language: Language['name']): Promise<readonly NamedAttack[]> {
  const files = readdirSync(new URL(`cases/${language}/`, import.meta.url)).sort();
  const loaded = await Promise.all(
    files.map(async (file) => {
      const name = file.replace(/\.ts$/, '');
      const module: { readonly default: Attacks } = await import(`./cases/${language}/${name}.ts`);
      return Object.entries(module.default).map(([own, attack]) => ({
        ...attack,
        name: `${name}-${own}`,
        class: name,
        language,
      }));
    }),
  );
  return loaded.flat();
}
