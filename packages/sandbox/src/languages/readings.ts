import { languageWorkers } from '../language-workers/shared.ts';
import type { LanguageName } from './language.ts';
import type { LanguageOperations } from './operations.ts';
import type { ExpressionReading } from './typescript/expressions.ts';
import type { YamlReading } from './yaml.ts';

export type { ExpressionReading };

/** Texts without a match are no Python, or TypeScript too. The rule costs microseconds, so most programs need no language worker. */
const MAY_BE_PYTHON =
  /^\s*(?:(?:async\s+)?def\b|elif\b|except\b|from\b|import\s+[\w.]|(?:class|if|for|while|with|try|else)\b[^{;]*:(?:\s|$))|^[A-Za-z_]\w*\s*(?::\s*[\w[\], ]+)?=[^=>]|\b(?:print|len|sorted|sum|read_file|write_file|list_files|call_mcp_tool|lambda|None)\b/m;
const PYTHON_FENCE = /^\s*```(?:python|py)\b/;
/** Characters that are read. */
const MAX_READ_CHARACTERS = 20_000;

/**
 * Returns the language of a program without a named one, read in a language worker where the text may be Python. TypeScript unless Python
 * is certain. Raises `SOURCE_TOO_COMPLEX`, `LANGUAGE_SERVICE_BUSY`.
 */
export async function languageOf(text: string, tenant: string): Promise<LanguageName> {
  if (PYTHON_FENCE.test(text)) return 'python';
  if (!MAY_BE_PYTHON.test(text.slice(0, MAX_READ_CHARACTERS))) return 'typescript';
  return languageWorkers<LanguageOperations>().run('recogniseLanguage', { text }, { tenant });
}

/** Reads a YAML text of one document in a language worker. Raises `SOURCE_TOO_COMPLEX`, `LANGUAGE_SERVICE_BUSY`. */
export function readYaml(text: string, tenant: string): Promise<YamlReading> {
  return languageWorkers<LanguageOperations>().run('yaml', { text }, { tenant });
}

/**
 * Reads texts as JavaScript expressions in a language worker. Nothing is evaluated. Raises `SOURCE_TOO_COMPLEX`,
 * `LANGUAGE_SERVICE_BUSY`, and the reason of an aborted `signal`.
 */
export function readExpressions(
  texts: readonly string[],
  tenant: string,
  signal?: AbortSignal,
): Promise<ExpressionReading[]> {
  return languageWorkers<LanguageOperations>().run('typescriptExpressions', { texts }, { tenant, signal });
}
