import { withEdits } from '../../encodings/layer.ts';
import { type Leaf, mapSteps, visitSteps } from '../../json-walk.ts';
import { type LookAlike, readPlaceholders } from '../../placeholder.ts';
import { mayDerive, type PiiPolicy, RESTRICTED_TYPES } from '../../policy/policy.ts';
import { inSlices } from '../../slices.ts';
import type { Vault } from '../../vault/vault.ts';
import type { AnswerBudget } from './answer-budget.ts';

export interface LiteralOptions {
  readonly vault: Vault;
  readonly types: ReadonlySet<string>;
  readonly policy: PiiPolicy;
}

/**
 * Returns the parameters of an expression with values in place of their placeholders. A literal of a program that is also a value of a tool
 * arrives as its placeholder. Restricted values, and those that programs may not compare, keep theirs.
 */
export async function withLiterals<T>(parameters: T, { vault, types, policy }: LiteralOptions): Promise<T> {
  const placeholdersOf = (leaf: Leaf) =>
    typeof leaf === 'string' ? readPlaceholders(leaf, types).filter(({ escapes }) => escapes === 0) : [];
  const names = new Set<string>();
  const note = (leaf: Leaf) => {
    for (const { name } of placeholdersOf(leaf)) names.add(name);
  };
  await inSlices(visitSteps(parameters, { leaf: note }));
  if (names.size === 0) return parameters;
  const known = await vault.find([...names]);
  const editOf = ({ name, start, end }: LookAlike) => {
    const found = known.get(name);
    if (!found || RESTRICTED_TYPES.has(found.type) || !mayDerive(policy, found.type, 'match')) return [];
    return [{ start, end, text: found.spellings[0].text }];
  };
  const restored = (leaf: Leaf) =>
    typeof leaf === 'string' ? withEdits(leaf, placeholdersOf(leaf).flatMap(editOf)) : leaf;
  return (await inSlices(mapSteps(parameters, restored, (key) => key))) as T;
}

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
