import { readdirSync } from 'node:fs';
import type { FinishedRun } from '@toolwright/conformance/sandbox';
import type { Limits } from '../../packages/core/src/config/sections/limits.ts';
import type { Language } from '../../packages/sandbox/src/languages/language.ts';
import type { Canaries } from './canaries.ts';

/** An attempt of a guest program to exceed its rights. The judge looks at its effects, never at its output text. */
export interface Attack {
  readonly program?: string;
  readonly makeProgram?: (canaries: Canaries) => string;
  readonly limits?: Partial<Limits>;
  /** Whether the attack succeeds in the deliberately bad sandbox, so that the judge must catch it there. */
  readonly badSandbox: 'caught' | 'not-run';
  /** Writes files to the attacker's workspace from the host, before the program. */
  readonly prepare?: (canaries: Canaries) => Promise<void>;
  /** The next program of the attacker and of a bystander, in place of a harmless one. It must return 'clean'. */
  readonly next?: string;
  /** The tenant of `next`, for an attack that may change the attacker's own state. Default: both tenants. */
  readonly nextOf?: 'bystander';
  /** Milliseconds to wait for effects after the end of the program. Default: none. */
  readonly lingerMs?: number;
  /** Returns a violation that the common judge cannot detect. */
  readonly judge?: (run: FinishedRun, canaries: Canaries) => string | undefined;
}

/** The attacks of one class in one language, by name: the content of a file `cases/<language>/<class>.ts`. */
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
