import type { LanguageName } from '../language.ts';
import { withoutFence } from '../markdown-fence.ts';
import { logicalLines } from '../python/text.ts';
import { allNodes, isNode, type Node, nameOf, type ProgramStatement, parseProgram } from './parse.ts';

/** Characters of a quoted line. */
const MAX_QUOTED_CHARACTERS = 40;
const TEMPLATE = /`(?:\\[\s\S]|[^`\\])*`/g;
/** Statements and expressions that no TypeScript has. */
const PYTHON =
  /^\s*(?:(?:async\s+)?def\s+\w+\s*\(.*:|class\s+\w+[^{]*:|elif\b.*:|(?:if|while|for|with)\b[^{;?]*:(?:\s|$)|(?:try|else|finally)\s*:|except\b.*:|from\s+[\w.]+\s+import\b|import\s+[\w.]+(?:\s+as\s+\w+)?\s*(?:,|$)|[\w.]+\s*=\s*(?:None|True|False)\s*$)|[[({].*\bfor\s+[\w, ]+\s+in\b.*[\])}]|\blambda\b[^:=]*:|\b(?:not in|is not None|is None)\b/;
/** Statements and expressions that no Python has. */
const TYPESCRIPT =
  /\b(?:const|let|var)\s+[\w$[{]|=>|[=!]==|\bfunction\s*[*\w$(]|\bexport\s+(?:default|const|function|async)|\binterface\s+\w+\s*\{|\bnew\s+[A-Z]\w*\(|\}\s*(?:else|catch|finally)\b|^\s*import\b.*\bfrom\s*"/;
/** Functions and modules of Python programs that TypeScript programs do not have. */
const PYTHON_NAMES: ReadonlySet<string> = new Set(
  'print len str int float list dict set tuple sorted range enumerate zip sum min max abs round isinstance open read_file write_file list_files call_mcp_tool json re math datetime collections itertools statistics'.split(
    ' ',
  ),
);
/** Names of TypeScript programs that Python programs do not have. */
const TYPESCRIPT_NAMES: ReadonlySet<string> = new Set(
  'callMCPTool console fs utils JSON Object Array Math Promise Number String Date undefined'.split(' '),
);
/** Syntax of TypeScript that no Python text has. */
const NOT_PYTHON =
  /Declaration$|^(?:Export\w+|(?:Arrow)?Function\w*|Class\w*|TemplateLiteral|(?:New|Update|Conditional|Logical|Chain|This)Expression|SpreadElement|(?:Block|If|For\w*|While|DoWhile|Switch|Try|Throw)Statement|TS\w+)$/;

/**
 * Returns the language of a program without a named one. It is Python only if that is certain. Either the text is no TypeScript, and has
 * statements of Python alone. Or it is both, but uses names that only a Python program has.
 */
export function recogniseLanguage(text: string): LanguageName {
  const source = withoutFence(text);
  const { problem, body } = parseProgram(source);
  const { python, typescript } = linesOf(source);
  if (problem) return python && !typescript ? 'python' : 'typescript';
  return usesOnlyPythonNames(source, body) ? 'python' : 'typescript';
}

/** Returns the error message of a text that has statements of both languages; undefined for any other text. */
export function mixedLanguages(source: string): string | undefined {
  const { python, typescript } = linesOf(source);
  if (!python || !typescript) return undefined;
  return `The program mixes TypeScript (${typescript}) and Python (${python}): write all of it in one language.`;
}

/** Returns the first line of each language, quoted with its number. */
function linesOf(source: string): Partial<Record<LanguageName, string>> {
  const plain = source.replaceAll(TEMPLATE, (template) => template.replaceAll(/[^\n]/g, '_'));
  const found: Partial<Record<LanguageName, string>> = {};
  for (const { code, start } of logicalLines(plain)) {
    const lines = { typescript: TYPESCRIPT.exec(code), python: TYPESCRIPT.test(code) ? null : PYTHON.exec(code) };
    for (const language of ['typescript', 'python'] as const) {
      const match = lines[language];
      if (match && found[language] === undefined) found[language] = quoted(source, start + match.index);
    }
  }
  return found;
}

function quoted(source: string, offset: number): string {
  const before = source.slice(0, offset).split('\n');
  const line = source.split('\n')[before.length - 1]?.trim() ?? '';
  const shown = line.length > MAX_QUOTED_CHARACTERS ? `${line.slice(0, MAX_QUOTED_CHARACTERS)}…` : line;
  return `line ${before.length}: ${shown}`;
}

/** Returns whether a program that is TypeScript too cannot work as TypeScript: it uses names of Python that it does not declare. */
function usesOnlyPythonNames(source: string, body: readonly ProgramStatement[]): boolean {
  if (/;[ \t]*$/m.test(source)) return false;
  let isPython = false;
  for (const node of allNodes(body)) {
    if (isOnlyTypescript(node)) return false;
    // A module is strict: it cannot assign to a variable that it does not declare.
    if (node.type === 'AssignmentExpression' && nameOf(node.left) !== undefined) isPython = true;
    const called = node.type === 'CallExpression' ? node.callee : undefined;
    const root = isNode(called) && called.type === 'MemberExpression' ? called.object : called;
    const name = nameOf(root);
    if (name !== undefined && PYTHON_NAMES.has(name)) isPython = true;
  }
  return isPython;
}

/** Returns whether a node of a text that may be Python shows that it is not: `{key: 1}`, `!x`, `console`, `const`. */
function isOnlyTypescript(node: Node): boolean {
  if (NOT_PYTHON.test(node.type) || node.operator === '!' || node.raw === 'true' || node.raw === 'null') return true;
  if (node.type === 'Property') return node.computed !== true && nameOf(node.key) !== undefined;
  return TYPESCRIPT_NAMES.has(nameOf(node) ?? '');
}
