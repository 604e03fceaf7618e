import type { Finding } from '../finding.ts';
import type { LintRule } from './report.ts';
import { returnsInJavaScript, returnsInPython } from './returns.ts';

const BASE = 'n8n-nodes-base.';
const TOOL = '@n8n/n8n-nodes-langchain.toolCode';
/** Nodes that run a program, with the parameters that may hold it. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  [`${BASE}code`]: ['jsCode', 'pythonCode'],
  [`${BASE}function`]: ['functionCode'],
  [`${BASE}functionItem`]: ['functionCode'],
  [TOOL]: ['jsCode', 'pythonCode'],
};

/** Reports programs without `return`: the node fails, or passes no items on. */
export const codeRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }) => {
    const names = Object.hasOwn(PROGRAMS, description.name) ? (PROGRAMS[description.name] ?? []) : [];
    if (node.disabled) return [];
    return names.flatMap((name): Finding[] => {
      // Programs of the language that is not selected have no value here.
      const code = parameters[name];
      if (node.parameters[name] === undefined || typeof code !== 'string' || code.startsWith('=')) return [];
      const returns = name === 'pythonCode' ? returnsInPython(code) : returnsInJavaScript(code);
      if (returns || code.trim() === '') return [];
      const what = description.name === TOOL ? 'a text' : 'items, such as return [{json: {x: 1}}]';
      const message =
        'The program returns nothing outside of its inner functions; the node fails or passes no items on.';
      const path = `parameters.${name}`;
      return [{ code: 'CODE_WITHOUT_RETURN', node: node.name, path, message, fix: `Return ${what} at the end.` }];
    });
  });
