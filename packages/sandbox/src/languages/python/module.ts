import { SandboxError } from '../../errors.ts';
import type { ModuleOptions } from '../language.ts';
import { type LogicalLine, lineStartsInStrings, logicalLines } from './text.ts';

const IMPORT = /^(?:import|from)\s/;
const BLOCK = /^(?:async\s+def|def|class|@)\b|^@/;
const ASSIGNMENT = /^([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)/;
/** Matches the start of statements that are not expressions. */
const KEYWORD =
  /^(?:if|for|while|with|try|else|elif|except|finally|raise|del|pass|break|continue|global|nonlocal|assert|return|import|from|async\s+(?:def|for|with)|def|class|match|type)\b/;
/** Matches the text before the last expression of a line. */
const LAST_STATEMENT = /^(\s*(?:[^\n;"']*;\s*)?)/;
const PLAIN_VALUE = /^(?:"_*"|True|False|None|[\d.eE+\-\s,:[\](){}])*$/;
/** Matches `asyncio.run`: the main function is awaited, and no loop can start inside of it. */
const RUN_LOOP = /^((?: {4})?(?:\w+\s*=\s*)?)asyncio\.run\(/gm;
const MAIN_GUARD = /^(\s*)if\s+__name__\s*==\s*(["'])__main__\2\s*:/;

/** Converts a Python program to a module: see `Language.moduleOf`. */
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
    // Comments are between the logical lines.
    const before = lines[lines.indexOf(line) - 1];
    const comment = source.slice(before ? before.end + 1 : 0, start).trim();
    const text = indented(source.slice(start, end), start, inStrings);
    const commentLines = comment === '' ? [] : [comment.replaceAll(/^[ \t]*/gm, /^\s*/.exec(text)?.[0] ?? '')];
    if (line === ending) return [...commentLines, text.replace(LAST_STATEMENT, '$1return ')];
    // Names of the module are now names of the function.
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

/** Returns the last line if it is the expression that gives the result. */
function endingOf(own: readonly LogicalLine[]): LogicalLine | undefined {
  const gives = own.some(({ code }) => /(?:^|[:;])\s*(?:return\b|result\s*(?::[^=]+)?=(?!=))/.test(code));
  const last = own.at(-1);
  if (gives || !last || last.indent > 0) return undefined;
  const code = last.code.slice(last.code.lastIndexOf(';') + 1).trim();
  const isAssignment =
    /^[^()[\]{}]*[^=!<>:]=(?!=)/.test(code) || /^[\w.[\]"]+\s*(?:[-+*/%&|^@]|\/\/|\*\*|<<|>>)=/.test(code);
  return KEYWORD.test(code) || isAssignment ? undefined : last;
}

/** Returns whether a line is in the body of a function or class. */
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

/** Returns the text with four more spaces before each line that does not start inside of a string. */
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

/** Returns a JSON value as a Python literal. */
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
