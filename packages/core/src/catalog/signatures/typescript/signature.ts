import type { Tool } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { propertyKey, sourceString } from '../../../text.ts';
import { type CallSyntax, type SignatureBudget, signatureOf } from '../signature.ts';
import { TYPESCRIPT_LINE } from './types.ts';

const NAME_TOKENS = 40;

/**
 * Returns one line that calls a tool: `callMCPTool("server__tool", {owner: string, body?: string}): {number: number}`.
 * Required parameters come first; optional ones that exceed the budget are counted. An undeclared result is omitted; a
 * result that was inferred from earlier results is marked as observed.
 */
export function toolSignature(tool: Tool, budget?: SignatureBudget): string {
  const syntax: CallSyntax = {
    types: TYPESCRIPT_LINE,
    comment: '//',
    parameter: (name, type, required) => `${shorten(propertyKey(name), NAME_TOKENS)}${required ? '' : '?'}: ${type}`,
    named(parameters, { required, optional }) {
      const notes = [
        ...(required > 0 ? [`/* +${required} required */`] : []),
        ...(optional > 0 ? [`/* +${optional} optional */`] : []),
      ];
      return `{${[...parameters, ...notes].join(', ')}}`;
    },
    whole: (type) => type,
    call: (args, result) =>
      `callMCPTool(${sourceString(tool.id)}${args === '' ? '' : `, ${args}`})${result === undefined ? '' : `: ${result}`}`,
  };
  return signatureOf(tool, syntax, budget);
}
