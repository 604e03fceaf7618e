import type { Tool } from '@toolwright/connectors';
import { type Parameter, toolParameters } from '../parameters.ts';
import { keywordAliases, keywordNames } from './names.ts';

/** A tool's parameter in a Python program. */
export interface PythonParameter extends Parameter {
  /** The parameter's own name where it is a Python identifier, else a similar one. */
  readonly keyword: string;
}

/** Maximum number of declared parameters. Programs pass the others in a dict. */
const MAX_DECLARED = 500;

/** Returns a tool's parameters with their keywords, required ones first. */
export function pythonParameters(tool: Tool): PythonParameter[] {
  const parameters = toolParameters(tool).slice(0, MAX_DECLARED);
  const keywords = new Map(
    [...keywordNames(parameters.map(({ name }) => name))].map(([keyword, name]) => [name, keyword]),
  );
  return parameters.map((parameter) => ({ ...parameter, keyword: keywords.get(parameter.name) ?? parameter.name }));
}

/** Returns the keywords that a call accepts besides the parameters' own names, with the parameter that each one means. */
export function pythonKeywords(parameters: readonly PythonParameter[]): Map<string, string> {
  return keywordAliases(parameters.map(({ name }) => name));
}
