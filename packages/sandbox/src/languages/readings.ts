import { languageWorkers } from '../language-workers/shared.ts';
import type { ExpressionReading } from './typescript/expressions.ts';
import type { YamlReading } from './yaml.ts';

export type { ExpressionReading };

/** Reads a YAML text of one document in a language worker. Raises `SOURCE_TOO_COMPLEX`, `LANGUAGE_SERVICE_BUSY`. */
export function readYaml(text: string, tenant: string): Promise<YamlReading> {
  return languageWorkers().run('yaml', { text }, { tenant });
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
  return languageWorkers().run('typescriptExpressions', { texts }, { tenant, signal });
}
