import { SandboxError } from '../../errors.ts';
import { allNodes, type ParsedProgram, positionAt } from './parse.ts';

/** Only source text with such digits can have a whole number beyond 2⁵³. */
const MANY_DIGITS = /\d[\d_]{15}|0[xob][\da-f_]{12}/i;
/** A literal without a fraction and an exponent. */
const INTEGER = /^(?:[1-9]\d*|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i;
/** Digits of the largest number of JavaScript, in base 2. */
const MAX_DIGITS = 1_024;
const SHOWN_DIGITS = 60;

/** Returns whether source text may have a literal that {@link requireExactLiterals} refuses. */
export function mayBeInexact(source: string): boolean {
  return MANY_DIGITS.test(source);
}

/**
 * Raises `SYNTAX` for a whole number that JavaScript reads as another one: 1917043659912705296 would be 1917043659912705300. A module, which
 * has a `path`, may be the output of a tool: its numbers may have the digits that JavaScript prints.
 */
export function requireExactLiterals(source: string, { body }: ParsedProgram, path?: string): void {
  if (!mayBeInexact(source)) return;
  for (const node of allNodes(body)) {
    if (node.type === 'Literal' && typeof node.value === 'number') {
      const digits = String(node.raw).replaceAll('_', '');
      const isPrinted = path !== undefined && digits === String(node.value);
      if (INTEGER.test(digits) && !isPrinted && isAnother(digits, node.value)) {
        const { line, column } = positionAt(source, Number(node.start));
        const place = `line ${line}, column ${column}${path === undefined ? '' : ` of ${path}`}`;
        throw new SandboxError('SYNTAX', messageFor(digits, node.value, place), { details: { line, column } });
      }
    }
  }
}

function isAnother(digits: string, value: number): boolean {
  // The conversion of a million digits takes long.
  if (digits.length > MAX_DIGITS || !Number.isFinite(value)) return true;
  return BigInt(digits) !== BigInt(value);
}

function messageFor(digits: string, value: number, place: string): string {
  const isLong = digits.length > SHOWN_DIGITS;
  const shown = isLong ? `${digits.slice(0, SHOWN_DIGITS)}… (${digits.length} characters)` : digits;
  const changed = String(value) === digits && Number.isFinite(value) ? BigInt(value) : value;
  const forms = isLong ? 'as text or as a BigInt' : `as text ("${digits}") or as a BigInt (${digits}n)`;
  return `The number ${shown} at ${place} is beyond 2^53, and JavaScript would change it to ${changed}. Write its digits ${forms}.`;
}
