import type { Tool } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { type CallSyntax, type SignatureBudget, signatureOf } from '../signature.ts';
import { pythonParameters } from './parameters.ts';
import { PYTHON_LINE } from './types.ts';

/** The location of a tool for Python programs: `servers.<module>.<name>`. */
export interface PythonLocation {
  readonly module: string;
  readonly name: string;
}

const NAME_TOKENS = 40;

/**
 * Returns one line that calls a tool: `await servers.github.create_issue(owner: str, body: str = ...) -> {"number": int}`.
 * The line runs with values in place of the types. Required parameters come first; those above the budget are counted.
 */
export function pythonSignature(tool: Tool, { module, name }: PythonLocation, budget?: SignatureBudget): string {
  const keywords = new Map(pythonParameters(tool).map((parameter) => [parameter.name, parameter.keyword]));
  const syntax: CallSyntax = {
    types: PYTHON_LINE,
    comment: '#',
    parameter: (own, type, required) =>
      `${shorten(keywords.get(own) ?? own, NAME_TOKENS)}: ${type}${required ? '' : ' = ...'}`,
    named(parameters, { required, optional }) {
      const counts = [
        ...(required > 0 ? [`${required}_required`] : []),
        ...(optional > 0 ? [`${optional}_optional`] : []),
      ];
      return [...parameters, ...(counts.length > 0 ? [`**plus_${counts.join('_')}`] : [])].join(', ');
    },
    whole: (type) => `args: ${type}, /`,
    call: (args, result) => `await servers.${module}.${name}(${args})${result === undefined ? '' : ` -> ${result}`}`,
  };
  return signatureOf(tool, syntax, budget);
}
