import type { AnswerBudget } from './answer-budget.ts';

/** Literals of one shape that a program may compare with values. A program with more tests guesses. */
export const MAX_OF_SHAPE = 48;

const NUMBER = /^[+(]?\d[\d\s()./-]*$/;
const DATE = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})$/;
const NAME = /^\p{Lu}[\p{L}'.-]*(?: \p{Lu}[\p{L}'.-]*)+$/u;
const MIN_DIGITS = 7;

/** The literals of one program by their shape. */
export interface LiteralShapes {
  /** Charges the literals. Those of a shape with too many are refused. */
  admit(literals: ReadonlySet<string>): Promise<void>;
  /** Returns whether a literal has a refused shape. */
  isRefused(literal: string): boolean;
  /** Returns the refused shapes: `e-mail addresses`, `numbers`, `dates`, `names`. */
  refused(): readonly string[];
}

export function createLiteralShapes(budget: AnswerBudget): LiteralShapes {
  const refused = new Set<string>();
  return {
    async admit(literals) {
      const byShape = new Map<string, string[]>();
      for (const text of literals) {
        const shape = shapeOf(text);
        if (shape === undefined) continue;
        const texts = byShape.get(shape);
        if (texts) texts.push(text);
        else byShape.set(shape, [text]);
      }
      for (const [shape, texts] of byShape) {
        const isRefused = texts.length > MAX_OF_SHAPE || !(await budget.compareLiterals(shape, texts));
        if (isRefused) refused.add(shape);
      }
    },
    isRefused: (literal) => refused.has(shapeOf(literal) ?? ''),
    refused: () => [...refused],
  };
}

/** Returns the shape of a literal; undefined for a text that may be a word of the program. */
function shapeOf(text: string): string | undefined {
  if (/^\S+@\S+$/.test(text)) return 'e-mail addresses';
  if (DATE.test(text)) return 'dates';
  if (NUMBER.test(text) && text.replaceAll(/\D/g, '').length >= MIN_DIGITS) return 'numbers';
  return NAME.test(text) ? 'names' : undefined;
}
