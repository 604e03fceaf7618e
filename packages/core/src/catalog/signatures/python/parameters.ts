import type { Tool } from '../../tool.ts';
import { type Parameter, toolParameters } from '../parameters.ts';
import { keywordNames } from './names.ts';

/** A tool's parameter as Python programs name it. */
export interface PythonParameter extends Parameter {
  /** Its own name when that can be said in Python. */
  readonly keyword: string;
}

/** More parameters than this are not declared one by one; those that are not can be given in a dict. */
const MAX_DECLARED = 500;

/** A tool's parameters, required first, each with its keyword. */
export function pythonParameters(tool: Tool): PythonParameter[] {
  const parameters = toolParameters(tool).slice(0, MAX_DECLARED);
  const keywords = new Map(
    [...keywordNames(parameters.map(({ name }) => name))].map(([keyword, name]) => [name, keyword]),
  );
  return parameters.map((parameter) => ({ ...parameter, keyword: keywords.get(parameter.name) ?? parameter.name }));
}
