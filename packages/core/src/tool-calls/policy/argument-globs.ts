import { lengthOf } from '../../config/policy/json.ts';
import { all, type Evaluation, measured, type Test, type Verdict } from '../../config/policy/verdict.ts';
import { compileGlobs } from '../../glob.ts';

/**
 * Compiles globs over arguments, by property. A list of texts matches if all its texts match, does not match if none does, and is
 * undecided in between. Other values are undecided.
 */
export function compileArgumentGlobs(byProperty: Readonly<Record<string, string | readonly string[]>>): Test {
  const tests = Object.entries(byProperty).map(([name, globs]) => {
    const isMatch = compileGlobs(globs);
    const matches = measured(
      name,
      (text) => (typeof text === 'string' ? isMatch(text) : undefined),
      (text) => lengthOf(text) * (typeof globs === 'string' ? 1 : globs.length),
    );
    const test: Test = (value, run) =>
      Array.isArray(value) ? ofList(value, (text) => matches(text, run)) : matches(value, run);
    return (args: unknown, run: Evaluation) => {
      const given = args as Readonly<Record<string, unknown>>;
      return test(Object.hasOwn(given, name) ? given[name] : undefined, run);
    };
  });
  return all(tests);
}

/** Stops at the first text that makes the list undecided. */
function ofList(texts: readonly unknown[], matches: (text: unknown) => Verdict): Verdict {
  const verdict = texts.length === 0 ? undefined : matches(texts[0]);
  return verdict !== undefined && texts.every((text) => matches(text) === verdict) ? verdict : undefined;
}
