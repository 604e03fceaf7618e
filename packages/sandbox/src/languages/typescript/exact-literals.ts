import { visitorKeys } from 'oxc-parser';
import { SandboxError } from '../../errors.ts';
import { isNode, type ParsedProgram, positionAt } from './parse.ts';

/** Only source text with such digits can have a whole number beyond 2⁵³. */
const MANY_DIGITS = /\d[\d_]{15}|0[xob][\da-f_]{12}/i;
/** A literal without a fraction and an exponent. */
const INTEGER = /^(?:\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i;

/** Raises `SYNTAX` for a whole number that JavaScript reads as another one: 1917043659912705296 would be 1917043659912705300. */
export function requireExactLiterals(source: string, { body }: Pick<ParsedProgram, 'body'>): void {
  if (!MANY_DIGITS.test(source)) return;
  const waiting: unknown[] = [...body];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isNode(node)) continue;
    if (node.type === 'Literal' && typeof node.value === 'number') {
      const digits = String(node.raw).replaceAll('_', '');
      if (INTEGER.test(digits) && BigInt(digits) !== BigInt(node.value)) throw inexact(source, node, digits);
    }
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      if (Array.isArray(child)) for (const entry of child) waiting.push(entry ?? null);
      else waiting.push(child ?? null);
    }
  }
}

function inexact(source: string, { value, start }: { readonly [key: string]: unknown }, digits: string): SandboxError {
  const { line, column } = positionAt(source, Number(start));
  const message = `The number ${digits} at line ${line}, column ${column} is beyond 2^53, and JavaScript would change it to ${value}. Write its digits as text ("${digits}") or as a BigInt (${digits}n).`;
  return new SandboxError('SYNTAX', message, { details: { line, column } });
}
