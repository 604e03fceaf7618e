import { SandboxError } from '../errors.ts';
import type { ModuleOptions } from './language.ts';
import { type LogicalLine, lineStartsInStrings, logicalLines } from './python-text.ts';

const IMPORT = /^(?:import|from)\s/;
const BLOCK = /^(?:async\s+def|def|class|@)\b|^@/;
const ASSIGNMENT = /^([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)/;
/** Statements that are no expression begin so. */
const KEYWORD =
  /^(?:if|for|while|with|try|else|elif|except|finally|raise|del|pass|break|continue|global|nonlocal|assert|return|import|from|async\s+(?:def|for|with)|def|class|match|type)\b/;
/** What stands before the last expression of a line. */
const LAST_STATEMENT = /^(\s*(?:[^\n;"']*;\s*)?)/;
const PLAIN_VALUE = /^(?:"_*"|True|False|None|[\d.eE+\-\s,:[\](){}])*$/;
/** The main function is awaited; inside of it no loop can be started. */
const RUN_LOOP = /^((?: {4})?(?:\w+\s*=\s*)?)asyncio\.run\(/gm;
const MAIN_GUARD = /^(\s*)if\s+__name__\s*==\s*(["'])__main__\2\s*:/;

/** Makes a module of a Python program: see `Language.moduleOf`. */
export function pythonModule(program: string, { description, parameters }: ModuleOptions): string {
  const source = program.replaceAll('\r\n', '\n').replaceAll(RUN_LOOP, '$1await (');
  const lines = logicalLines(source);
  const imports = lines.filter(({ indent, code }) => indent === 0 && IMPORT.test(code));
  const constants = lines.filter((line) => constantName(line) !== undefined);
  const removed = Object.keys(parameters).map((name) => findConstant(name, constants, lines));
  const statements = lines.filter((line) => !imports.includes(line) && !removed.includes(line));
  const own = statements.filter((line, index) => !isInBlock(statements, index) && !BLOCK.test(line.code));
  const ending = endingOf(own);
  const inStrings = lineStartsInStrings(source);

  const body = statements.flatMap((line) => {
    const { start, end } = line;
    // Comments stand between the lines that the grammar knows.
    const before = lines[lines.indexOf(line) - 1];
    const comment = source.slice(before ? before.end + 1 : 0, start).trim();
    const text = indented(source.slice(start, end), start, inStrings);
    const commentLines = comment === '' ? [] : [comment.replaceAll(/^[ \t]*/gm, /^\s*/.exec(text)?.[0] ?? '')];
    if (line === ending) return [...commentLines, text.replace(LAST_STATEMENT, '$1return ')];
    // What was the module's is the function's now.
    return [...commentLines, text.replace(MAIN_GUARD, '$1if True:').replace(/^( {5,}|\t+)global\b/, '$1nonlocal')];
  });
  const hasAwait = own.some(({ code }) => /\bawait\b|\basync\s+(?:for|with)\b/.test(code));
  const hasReturn = own.some(({ code }) => /(?:^|[:;])\s*return\b/.test(code));
  const hasResult = !hasReturn && own.some(({ code }) => /(?:^|[:;])\s*result\s*(?::[^=]+)?=(?!=)/.test(code));
  const given = Object.entries(parameters).map(([name, value]) => `${name}=${literal(value)}`);
  return [
    ...imports.map(({ start, end }) => source.slice(start, end)),
    ...(imports.length > 0 ? ['', ''] : []),
    `${hasAwait ? 'async ' : ''}def main(${given.join(', ')}):`,
    `    """${description.replaceAll(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"', "'").trim()}"""`,
    ...body,
    ...(hasResult ? ['    return result'] : []),
    '',
  ].join('\n');
}

/** The last expression, when nothing else gives the result. */
function endingOf(own: readonly LogicalLine[]): LogicalLine | undefined {
  const gives = own.some(({ code }) => /(?:^|[:;])\s*(?:return\b|result\s*(?::[^=]+)?=(?!=))/.test(code));
  const last = own.at(-1);
  if (gives || !last || last.indent > 0) return undefined;
  const code = last.code.slice(last.code.lastIndexOf(';') + 1).trim();
  const isAssignment =
    /^[^()[\]{}]*[^=!<>:]=(?!=)/.test(code) || /^[\w.[\]"]+\s*(?:[-+*/%&|^@]|\/\/|\*\*|<<|>>)=/.test(code);
  return KEYWORD.test(code) || isAssignment ? undefined : last;
}

/** Whether a line is in the body of a function or class. */
function isInBlock(lines: readonly LogicalLine[], index: number): boolean {
  let indent = lines[index]?.indent ?? 0;
  for (let above = index - 1; above >= 0 && indent > 0; above--) {
    const line = lines[above];
    if (!line || line.indent >= indent) continue;
    if (/^\s*(?:async\s+def|def|class)\b/.test(line.code)) return true;
    indent = line.indent;
  }
  return false;
}

function constantName({ code, indent }: LogicalLine): string | undefined {
  const match = indent === 0 ? ASSIGNMENT.exec(code) : null;
  return match && PLAIN_VALUE.test(code.slice(match[0].length).trim()) ? match[1] : undefined;
}

function findConstant(name: string, constants: readonly LogicalLine[], lines: readonly LogicalLine[]): LogicalLine {
  const found = constants.find((line) => constantName(line) === name);
  const assignments = lines.filter(({ code }) => ASSIGNMENT.exec(code.trimStart())?.[1] === name);
  if (found && assignments.length === 1) return found;
  const known = constants.map(constantName).join(', ') || 'none';
  const message = `The program has no constant "${name}" with a plain value at its top level that could be a parameter. It has: ${known}.`;
  throw new SandboxError('INVALID_ARGUMENTS', message);
}

/** Four spaces in front of each line of text that does not begin inside of a string. */
function indented(text: string, start: number, inStrings: ReadonlySet<number>): string {
  let offset = start;
  return text
    .split('\n')
    .map((line) => {
      const moved = inStrings.has(offset) || line.trim() === '' ? line : `    ${line}`;
      offset += line.length + 1;
      return moved;
    })
    .join('\n');
}

/** A JSON value as Python writes it. */
function literal(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${literal(item)}`)
    .join(', ')}}`;
}
