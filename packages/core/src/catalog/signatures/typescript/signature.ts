import { type Tool, toolId } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { propertyKey, sourceString } from '../../../text.ts';
import { isFunctionName } from '../../names/exports.ts';
import { type CallSyntax, type SignatureBudget, signatureOf } from '../signature.ts';
import { TYPESCRIPT_LINE } from './types.ts';

const NAME_TOKENS = 40;
/** The name of a server that is its slug, and an identifier. */
const PLAIN_SERVER = /^[A-Za-z](?:\w{0,62}[A-Za-z\d])?$/;

/**
 * Returns one line that calls a tool: `servers.github.create_issue({owner: string, body?: string}): {number: number}`.
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
    call: (args, result) => `${callStart(tool, args)})${result === undefined ? '' : `: ${result}`}`,
  };
  return signatureOf(tool, syntax, budget);
}

/**
 * Returns the start of a call, up to its arguments: `servers.shop.find(`. A server or name that is no identifier, or another id than
 * that of both, needs a call by id: `callMCPTool("help-desk__find", `.
 */
export function callStart({ id, server, definition: { name } }: Tool, args = ''): string {
  // `servers` has no thenables.
  const isPath =
    id === toolId(server, name) &&
    PLAIN_SERVER.test(server) &&
    server !== 'then' &&
    isFunctionName(name) &&
    name !== 'then';
  if (isPath) return `servers.${server}.${name}(${args}`;
  return `callMCPTool(${sourceString(id)}${args === '' ? '' : `, ${args}`}`;
}
