import { compileGlobs } from '../../../glob.ts';
import { EXTRACTED, type PolicyRule } from '../schema.ts';
import type { ArgumentValue } from './followed.ts';
import type { CallOrigins } from './origins.ts';
import { PRIVATE } from './readers.ts';

const PROOFS: ReadonlySet<string> = new Set(['request', 'program', 'own', 'owner', 'organisation', 'public']);

/**
 * Compiles `from` of a rule. A rule that allows needs a proof for each value of the arguments. Any other applies unless each value is
 * proven to come from elsewhere. An argument that is absent has no origin: a rule that allows does not apply, any other does not either.
 */
export function compileFrom({ from = {}, action }: PolicyRule): (origins: CallOrigins | undefined) => boolean {
  const tests = Object.entries(from).map(([argument, names]) => ({ argument, isFrom: compileNames(names) }));
  const isAllowing = action === 'allow';
  return (origins) => {
    if (origins?.values === undefined) return !isAllowing;
    const { values } = origins;
    return tests.every(({ argument, isFrom }) => {
      const own = values.filter((value) => value.argument === argument);
      if (own.length === 0) return false;
      return isAllowing ? own.every(isFrom) : own.some((value) => isFrom(value) || value.origin().proof === 'unknown');
    });
  };
}

/** Compiles `carries` of a rule: it applies if an argument may have data of one of the tools, and where the origins are not known. */
export function compileCarries(names: readonly string[]): (origins: CallOrigins | undefined) => boolean {
  const isSource = compileGlobs(names.filter((name) => name !== PRIVATE));
  const isAboutLeaks = names.includes(PRIVATE);
  return (origins) => {
    if (origins?.values === undefined || (isAboutLeaks && origins.leaks().length > 0)) return true;
    return origins.values.some(({ carries }) => carries().some(({ server, id }) => isSource(server) || isSource(id)));
  };
}

function compileNames(names: readonly string[]): (value: ArgumentValue) => boolean {
  const proofs = new Set(names.filter((name) => PROOFS.has(name)));
  const extracted = names.filter((name) => name.startsWith(EXTRACTED));
  const types = new Set(extracted.map((name) => name.slice(EXTRACTED.length)));
  const others = names.filter((name) => !PROOFS.has(name) && !name.startsWith(EXTRACTED));
  const isSource = others.length === 0 ? () => false : compileGlobs(others);
  return ({ origin, extractedType }) => {
    if (types.size > 0 && types.has(String(extractedType()))) return true;
    const { proof, field } = origin();
    if (proofs.has(proof)) return true;
    return proof !== 'unknown' && field !== undefined && (isSource(field.server) || isSource(field.tool));
  };
}
