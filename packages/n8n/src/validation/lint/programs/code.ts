import type { Finding } from '../../finding.ts';
import type { CheckedNode } from '../../publish.ts';
import type { Syntax } from '../../syntax.ts';
import type { Linted } from '../report.ts';
import { mistakesInJavaScript, programProblem } from './javascript.ts';
import type { Mistake } from './mistake.ts';
import { mistakesInPython } from './python.ts';
import { returnsInJavaScript, returnsInPython } from './returns.ts';

const BASE = 'n8n-nodes-base.';
const CODE = `${BASE}code`;
const SORT = `${BASE}sort`;
const TOOL = '@n8n/n8n-nodes-langchain.toolCode';
/** Nodes that run a program, with the parameters that may hold it. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  [CODE]: ['jsCode', 'pythonCode'],
  [`${BASE}function`]: ['functionCode'],
  [`${BASE}functionItem`]: ['functionCode'],
  [SORT]: ['code'],
  [TOOL]: ['jsCode', 'pythonCode'],
};

/** The value that a program must return, where it is no list of items. */
const WANTED: Readonly<Record<string, string>> = {
  [TOOL]: 'a text',
  [SORT]: 'a number, such as return a.json.id - b.json.id',
};

/** One program of a node. */
export interface Program {
  readonly name: string;
  readonly code: string;
}

/** Reports programs that fail for a reason in their text, and those without `return`, which pass no items on. */
export function programFindings({ checked }: Linted, syntax: Syntax): Finding[] {
  return checked.flatMap((each) =>
    programsOf(each).flatMap(({ name, code }) =>
      mistakesIn(each, { name, code }, syntax).map((mistake): Finding => {
        return { ...mistake, node: each.node.name, path: `parameters.${name}` };
      }),
    ),
  );
}

/** Returns the programs that a node runs. Programs of a language that is not selected do not count. */
export function programsOf({ node, description, parameters }: CheckedNode): Program[] {
  const names = Object.hasOwn(PROGRAMS, description.name) ? (PROGRAMS[description.name] ?? []) : [];
  if (node.disabled || (description.name === SORT && parameters.type !== 'code')) return [];
  return names.flatMap((name): Program[] => {
    const code = parameters[name];
    const isGiven = node.parameters[name] !== undefined && typeof code === 'string' && code.trim() !== '';
    return isGiven && !code.startsWith('=') ? [{ name, code }] : [];
  });
}

type ProgramMistake =
  | Mistake
  | { readonly code: 'CODE_WITHOUT_RETURN'; readonly message: string; readonly fix: string };

function mistakesIn(
  { description, parameters }: CheckedNode,
  { name, code }: Program,
  syntax: Syntax,
): ProgramMistake[] {
  const isPython = name === 'pythonCode';
  const mode = parameters.mode === 'runOnceForEachItem' ? 'each' : 'all';
  const own =
    description.name === CODE
      ? isPython
        ? mistakesInPython(code, mode)
        : mistakesInJavaScript(code, mode, syntax)
      : isPython
        ? []
        : syntaxOnly(code, syntax);
  if (own.some((mistake) => mistake.code === 'CODE_SYNTAX')) return own;
  if (isPython ? returnsInPython(code) : returnsInJavaScript(code)) return own;
  const what = WANTED[description.name] ?? 'items, such as return [{json: {x: 1}}]';
  const message = 'The program returns nothing outside of its inner functions; the node fails or passes no items on.';
  return [...own, { code: 'CODE_WITHOUT_RETURN', message, fix: `Return ${what} at the end.` }];
}

/** Older nodes and tools have other rules for values; their syntax is the same. */
function syntaxOnly(code: string, syntax: Syntax): Mistake[] {
  const problem = programProblem(code, syntax);
  if (problem === undefined) return [];
  const message = `The program does not parse: ${problem}. The node fails at execution.`;
  return [{ code: 'CODE_SYNTAX', message, fix: 'Correct the program.' }];
}
