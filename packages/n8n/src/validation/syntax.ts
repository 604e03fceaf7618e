import type { ExpressionReading } from '@toolwright/core/internal';
import { type Caller, readTexts } from './readings.ts';

/** Answers about texts of a workflow, read as JavaScript. Nothing is evaluated. */
export interface Syntax {
  /** Returns the syntax error of an expression; undefined when it has none. */
  problemOf(text: string): string | undefined;
  isObjectLiteral(text: string): boolean;
}

/** The answer for a text that is not read yet: rules go on, and ask about all texts that they could ask about. */
const NOT_YET: ExpressionReading = { isObject: true };

/**
 * Runs rules that ask about texts of a workflow. This process parses no such text: a language worker reads the texts that
 * the rules asked about, for this caller, and the rules run again. They must do nothing but return a result. Raises
 * `LANGUAGE_SERVICE_BUSY`.
 */
export async function withSyntax<Result>(caller: Caller, rules: (syntax: Syntax) => Result): Promise<Result> {
  const readings = new Map<string, ExpressionReading>();
  for (;;) {
    const missing = new Set<string>();
    const readingOf = (text: string): ExpressionReading => {
      const reading = readings.get(text);
      if (!reading) missing.add(text);
      return reading ?? NOT_YET;
    };
    const result = rules({
      problemOf: (text) => readingOf(text).problem,
      isObjectLiteral: (text) => readingOf(text).isObject,
    });
    if (missing.size === 0) return result;
    for (const [text, reading] of await readTexts([...missing], caller)) readings.set(text, reading);
  }
}
