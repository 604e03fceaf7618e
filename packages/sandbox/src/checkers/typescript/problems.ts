import type { CheckProblem, ToolReference } from '../checker.ts';
import { serverOf } from './imports.ts';
import type { CallSite, Outline } from './outline.ts';
import { isUnion, members, surelyDiffers } from './type-text.ts';

/** One finding of the compiler. */
export interface Diagnostic {
  readonly pos: number;
  readonly end: number;
  readonly code: number;
  readonly text: string;
  readonly messageChain?: readonly Diagnostic[];
}

/** The facts about a program that diagnostics are read with. */
export interface ProblemContext {
  readonly source: string;
  readonly outline: Outline;
  /** Modules whose content is unknown. */
  readonly open: ReadonlySet<string>;
  readonly unknownTools: ReadonlySet<string>;
}

type Found = Omit<CheckProblem, 'line' | 'column'>;
type Reader = (diagnostic: Diagnostic, context: ProblemContext) => Found | undefined;

const QUOTED = /'((?:[^'\\]|\\.)*)'/;
/** Types whose members are known: those of the language, of the guest API, and of results of tools. */
const KNOWN_TYPE =
  /^(?:string|number|boolean|"[^"]*"|-?\d+|.*\[\]|(?:Promise|Map|Set|WeakMap|WeakSet|Array|ReadonlyArray|IterableIterator)<.*>|Date|RegExp|RegExpMatchArray|Math|JSON|ArrayConstructor|ObjectConstructor|Uint8Array<.*>|Toolwright\w+|ToolResult_\w+|Record<"log".*)$/;
const LIBRARY_IS_OLD = 2550;
/** An argument that is not assignable to its parameter, or lacks members of it. */
const ARGUMENTS: ReadonlySet<number> = new Set([2345, 2739, 2740]);
/** Characters of the source after a name that are read. */
const MAX_MEMBER_CHARACTERS = 100;
const MAX_VALUE_CHARACTERS = 200;
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;
/** A longer union of values is counted: a part of it would look like all of it. */
const MAX_UNION_CHARACTERS = 60;

/**
 * Readers for the compiler's findings that certainly fail at run time, or silently have no effect, by diagnostic code. All
 * other codes are ignored: types are erased before a program runs.
 */
const READERS: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  ...each([2304, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 18004], unknownName),
  ...each([2305, 2614, 2724, 1192, 2613], unknownExport),
  ...each([2307, 2792], unknownModule),
  ...each([2339, 2551], unknownProperty),
  ...each([2322, 2345, 2353, 2559, 2561, 2739, 2740, 2741, 2769, 2820], wrongArgument),
  ...each([2554, 2555], wrongCount),
  ...each([2349, 2351], notCallable),
  ...each([2488, 2461, 2495, 2549], notIterable),
  ...each([2588, 2448, 2449, 2451], (diagnostic) => other(diagnostic.text)),
]);

/** Returns the problem for a diagnostic, `undefined` if it is ignored. */
export function problemOf(diagnostic: Diagnostic, context: ProblemContext): Found | undefined {
  const isErased = context.outline.types.some(({ start, end }) => diagnostic.pos >= start && diagnostic.end <= end);
  const found = isErased ? undefined : READERS.get(diagnostic.code)?.(diagnostic, context);
  const suggestion =
    found && /Did you mean (?:to write )?'([^']+)'\?/.exec(chainOf(diagnostic).at(-1)?.text ?? '')?.[1];
  return found && suggestion !== undefined ? { ...found, suggestion } : found;
}

function unknownName({ pos, end }: Diagnostic, { source, outline }: ProblemContext): Found | undefined {
  const name = source.slice(pos, end);
  // TypeScript suggests types for modules of Node in place of "there is no module".
  const specifier = /^(['"])(.*)\1$/.exec(name)?.[2];
  if (specifier !== undefined) {
    return { kind: 'unknown-module', name: specifier, message: `there is no module '${specifier}'` };
  }
  if (outline.probed.has(name)) return undefined;
  const member = /^\s*\.\s*([\w$]+)/.exec(source.slice(end, end + MAX_MEMBER_CHARACTERS))?.[1];
  return { kind: 'unknown-name', name, message: `'${name}' is not defined`, member: member || undefined };
}

function unknownExport({ text, pos, end }: Diagnostic, context: ProblemContext): Found | undefined {
  const { source, outline } = context;
  const name = /no exported member (?:named )?'?([\w$]+)/.exec(text)?.[1] ?? 'default';
  const used = name === 'default' ? source.slice(pos, end) : name;
  const module = /^Module '"?([^"']+)/.exec(text)?.[1] ?? /^'"([^"]+)/.exec(text)?.[1] ?? '';
  // Modules of packages may have names that their types lack.
  if (module.includes('/node_modules/') || context.open.has(module)) return undefined;
  // An import that only types use is erased before the program runs.
  if (outline.dialect === 'ts' && /^[\w$]+$/.test(used) && !outline.uses.has(localName(used, source))) return undefined;
  const server = serverOf(module);
  const tool = server === undefined ? undefined : { server, exported: name };
  const message = `${server === undefined ? module : `./servers/${server}/index.js`} has no export '${name}'`;
  return { kind: 'unknown-export', name, message, tool };
}

/** Returns the local name of an import: `b` in `import { a as b }`. */
function localName(name: string, source: string): string {
  return new RegExp(`\\b${name.replaceAll('$', '\\$')}\\s+as\\s+([\\w$]+)`).exec(source)?.[1] ?? name;
}

function unknownModule({ text }: Diagnostic, { open, outline }: ProblemContext): Found | undefined {
  const specifier = QUOTED.exec(text)?.[1] ?? '';
  const use = outline.modules.find((module) => module.specifier === specifier);
  if (open.has(specifier) || use === undefined) return undefined;
  return { kind: 'unknown-module', name: specifier, message: `there is no module '${specifier}'` };
}

function unknownProperty(diagnostic: Diagnostic, { source, outline, open }: ProblemContext): Found | undefined {
  const [, name = '', type = ''] =
    /^Property '(.*?)' does not exist on type '(.*?)'\.(?: |$)/s.exec(diagnostic.text) ?? [];
  if (name === '' || outline.assigned.has(name) || diagnostic.code === LIBRARY_IS_OLD) return undefined;
  const object = source.slice(0, diagnostic.pos).replace(/\s*\??\.\s*$/, '');
  const variable = /([\w$]+)$/.exec(object)?.[1] ?? '';
  if (/^Promise<.*>$/s.test(type)) {
    return { kind: 'missing-await', name, message: `'.${name}' is read from a Promise` };
  }
  if (type === 'ToolwrightServers') return { kind: 'unknown-server', name, message: `there is no server '${name}'` };
  const server = /^typeof import\("\/servers\/([^/"]+)\/index/.exec(type)?.[1];
  if (server !== undefined && !open.has(server)) {
    const message = `./servers/${server}/index.js has no export '${name}'`;
    return { kind: 'unknown-export', name, message, tool: { server, exported: name } };
  }
  if (isUnion(type) || !KNOWN_TYPE.test(type)) return undefined;
  if (variable === 'fs' && name.endsWith('Sync')) {
    const message = `'${name}' does not exist on fs, whose functions are asynchronous`;
    return { kind: 'unknown-property', name, message, fix: `Write await fs.${name.slice(0, -'Sync'.length)}(…).` };
  }
  const tool: ToolReference | undefined = outline.results.get(variable);
  return {
    kind: 'unknown-property',
    name,
    message: `'${name}' does not exist on ${readable(type)}`,
    tool: tool && type.startsWith('ToolResult_') ? tool : undefined,
  };
}

function wrongArgument(diagnostic: Diagnostic, context: ProblemContext): Found | undefined {
  const unawaited = chainOf(diagnostic).flatMap(({ text }) => /ToolwrightUnawaited<"([^"]*)"/.exec(text)?.[1] ?? []);
  if (unawaited[0] !== undefined) return unawaitedResult(unawaited[0]);
  const { source, unknownTools } = context;
  const call = callAround(diagnostic, context.outline.calls);
  const literal = /^(["'`])(.*)\1$/s.exec(source.slice(diagnostic.pos, diagnostic.end))?.[2];
  const isRefused = chainOf(diagnostic).some(({ text }) => /type 'never'|'UnknownTool_/.test(text));
  if (literal !== undefined && unknownTools.has(literal) && isRefused) {
    return { kind: 'unknown-tool', name: literal, message: `There is no tool "${literal}"`, tool: { name: literal } };
  }
  if (call?.package !== undefined) return packageArgument(diagnostic, call, context);
  if (!call?.isApiCall) return undefined;
  const message = argumentProblem(diagnostic, source);
  if (message === undefined) return undefined;
  return { kind: 'wrong-argument', ...message, tool: call.tool, given: call.given };
}

/** Returns the problem of a promise in the result. `path` is its place: `users[]`. */
function unawaitedResult(path: string): Found {
  const isList = path.endsWith('[]');
  const place = isList ? path.slice(0, -'[]'.length) : path;
  const what = isList
    ? `${place === '' ? 'the result' : `'${place}' in the result`} is a list of Promises`
    : `'${place}' in the result is a Promise`;
  const fix = isList ? 'Write await Promise.all(list) around the list.' : 'Write await before its call.';
  return { kind: 'missing-await', message: what, fix };
}

function argumentProblem(
  diagnostic: Diagnostic,
  source: string,
): { readonly message: string; readonly name?: string; readonly fix?: string } | undefined {
  const chain = chainOf(diagnostic);
  const leaf = chain.at(-1)?.text ?? '';
  const unsure = chain.slice(0, -1).some(({ text }) => isUnion(/ type '([^']*)'\.$/.exec(text)?.[1] ?? ''));
  const [, extra] = /may only specify known properties, (?:but|and) '(.*?)' does not exist in type/.exec(leaf) ?? [];
  if (extra !== undefined) return { message: `'${unquoted(extra)}' is no argument`, name: unquoted(extra) };
  if (unsure) return undefined;
  const [, one] = /^Property '(.*?)' is missing in type/.exec(leaf) ?? [];
  if (one !== undefined) return { message: `the argument '${one}' is missing` };
  const [, several] = /is missing the following properties from type '.*?': (.*?)\.?$/s.exec(leaf) ?? [];
  if (several !== undefined) return { message: `the arguments ${several} are missing` };
  const [, given = '', wanted = ''] =
    /^(?:Argument of t|T)ype '(.*?)' is not assignable to (?:parameter of )?type '(.*?)'\.?(?: Did you mean.*)?$/s.exec(
      leaf,
    ) ?? [];
  if (/^Type '.*' has no properties in common with type/s.test(leaf)) {
    return { message: `${shortened(source.slice(diagnostic.pos, diagnostic.end))} has no known argument` };
  }
  if (given === '' || !surelyDiffers(given, wanted)) return undefined;
  if (given === 'string' && members(wanted).includes('number') && mayBeDigits(diagnostic, source)) return undefined;
  if (given.startsWith('Promise<'))
    return { message: `a Promise is given where ${readable(wanted)} is wanted: await it` };
  if (
    wanted === 'string' &&
    /callMCPTool\s*\(\s*$/.test(source.slice(Math.max(0, diagnostic.pos - 40), diagnostic.pos))
  ) {
    const message = `callMCPTool takes the name of a tool first, not ${readable(given)}`;
    return { message, fix: 'Write callMCPTool("server__tool", {…}).' };
  }
  const place = placeOf(diagnostic, chain, source);
  const message = `${place === '' ? '' : `'${place}' takes `}${readable(wanted)}, not ${readable(given)}`;
  const fix = fixedValue(diagnostic, wanted, source);
  return fix === undefined ? { message } : { message, fix };
}

/** Returns whether a text may be the digits of a number beyond 2^53, which arguments accept in place of a number. */
function mayBeDigits({ pos, end }: Diagnostic, source: string): boolean {
  const after = source.slice(end, end + MAX_VALUE_CHARACTERS);
  const literal = /^\s*:\s*(["'])(.*?)\1/s.exec(after) ?? /^(["'])(.*)\1$/s.exec(source.slice(pos, end));
  return literal === null || LONG_INTEGER.test(literal[2] ?? '');
}

/** Returns the wrong property, from the position of the diagnostic or from the reasons in between. */
function placeOf(diagnostic: Diagnostic, chain: readonly Diagnostic[], source: string): string {
  const names = chain.flatMap(({ text }) => /^(?:Types of property|The types of) '(.*?)' are/.exec(text)?.[1] ?? []);
  if (names.length > 0) return names.at(-1) ?? '';
  const here = source.slice(diagnostic.pos, diagnostic.end);
  const isProperty = diagnostic.code === 2322 || /^\s*:/.test(source.slice(diagnostic.end, diagnostic.end + 10));
  return isProperty && /^["']?[\w$-]+["']?$/.test(here) ? unquoted(here) : '';
}

/** Returns the property with its value converted to the wanted type, if the value is a literal: `limit: 5` for `limit: '5'`. */
function fixedValue({ pos, end }: Diagnostic, wanted: string, source: string): string | undefined {
  const after = source.slice(end, end + MAX_VALUE_CHARACTERS);
  const value = /^\s*:\s*("[^"\n]*"|'[^'\n]*'|-?\d[\d.]*)(?=\s*[,}\n])/.exec(after)?.[1];
  if (value === undefined) return undefined;
  const inner = unquoted(value);
  const isText = inner !== value;
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(inner);
  const name = source.slice(pos, end);
  if (wanted === (isText ? 'string[]' : 'number[]')) {
    const quote = value[0];
    const parts = isText ? inner.split(/\s*,\s*/).map((part) => `${quote}${part}${quote}`) : [value];
    return `Write ${name}: [${parts.join(', ')}].`;
  }
  if (wanted === 'number' && isText && isNumber) return `Write ${name}: ${inner}.`;
  return wanted === 'string' && !isText ? `Write ${name}: '${value}'.` : undefined;
}

/**
 * Returns the problem of an argument of a package's function. Only a value of another kind is a mistake: code of packages often
 * converts texts and numbers, and reads options that no type names.
 */
function packageArgument(diagnostic: Diagnostic, call: CallSite, { source, open }: ProblemContext): Found | undefined {
  if (call.package === undefined || !open.has(call.package) || !ARGUMENTS.has(diagnostic.code)) return undefined;
  const [, given = '', wanted = ''] =
    /^(?:Argument of t|T)ype '(.*?)' is (?:not assignable to parameter of|missing the following properties from) type '(.*?)'[.:]/s.exec(
      diagnostic.text,
    ) ?? [];
  if (given === '' || (isPlain(given) && members(wanted).some(isPlain)) || !surelyDiffers(given, wanted))
    return undefined;
  const fix = given.startsWith('Promise<') ? ': await it' : '';
  const message = `${calleeText(call, source)} takes ${readable(wanted)}, not ${readable(given)}${fix}`;
  return { kind: 'wrong-argument', message };
}

/** Returns the problem of missing or further arguments of a package's function. */
function packageCount({ text }: Diagnostic, call: CallSite, { source, open }: ProblemContext): Found | undefined {
  if (call.package === undefined || !open.has(call.package)) return undefined;
  const [, wanted, given] = /Expected ((?:at least )?[\d-]+) arguments?, but got (\d+)/.exec(text) ?? [];
  if (wanted === undefined) return undefined;
  const message = `${calleeText(call, source)} takes ${wanted} argument${/\b1$/.test(wanted) ? '' : 's'}, not ${given}`;
  return { kind: 'wrong-argument', message };
}

function calleeText({ callee, package: module }: CallSite, source: string): string {
  return `${shortened(source.slice(callee.start, callee.end))} of ${module}`;
}

function isPlain(type: string): boolean {
  return /^(?:string|number|boolean|bigint|true|false|".*"|-?[\d.e+]+)$/s.test(type);
}

function wrongCount(diagnostic: Diagnostic, context: ProblemContext): Found | undefined {
  const { outline } = context;
  const call =
    outline.calls.find(({ callee }) => callee.end === diagnostic.end) ?? callAround(diagnostic, outline.calls);
  if (call?.package !== undefined) return packageCount(diagnostic, call, context);
  if (!call?.isApiCall) return undefined;
  const [, wanted, given] = /Expected (?:at least )?([\d-]+) arguments?, but got (\d+)/.exec(diagnostic.text) ?? [];
  const message = given === '0' || Number(given) < Number(wanted) ? 'the arguments are missing' : diagnostic.text;
  return { kind: 'wrong-argument', message, tool: call.tool };
}

function notCallable(diagnostic: Diagnostic, { source }: ProblemContext): Found | undefined {
  const leaf = chainOf(diagnostic).at(-1)?.text ?? '';
  const type = /^Type '(.*)' has no (?:call|construct) signatures/s.exec(leaf)?.[1];
  if (type === undefined || isUnion(type) || /^(?:\{|never|object)/.test(type)) return undefined;
  const what = shortened(source.slice(diagnostic.pos, diagnostic.end));
  return other(`${what} is no function, it is ${readable(type)}`);
}

function notIterable({ text, pos, end }: Diagnostic, { source, outline }: ProblemContext): Found | undefined {
  const type = /[Tt]ype '(.*?)'/s.exec(text)?.[1] ?? '';
  if (type === '' || isUnion(type)) return undefined;
  if (/^Promise<.*>$/s.test(type)) return { kind: 'missing-await', message: 'a Promise cannot be iterated' };
  if (!/^(?:ToolResult_\w+|number|boolean)$/.test(type)) return undefined;
  const message = `${readable(type)} cannot be iterated`;
  if (!type.startsWith('ToolResult_')) return other(message);
  return { kind: 'unknown-property', message, tool: outline.results.get(source.slice(pos, end)) };
}

function other(text: string): Found {
  return { kind: 'other', message: text.replace(/\.$/, '') };
}

/** Returns the innermost call whose arguments contain a position. */
function callAround({ pos, end }: Diagnostic, calls: readonly CallSite[]): CallSite | undefined {
  return calls.findLast(({ args }) => args.start <= pos && end <= args.end);
}

/** Returns the reasons from the outermost to the innermost; for overloads, those of the last one. */
function chainOf(diagnostic: Diagnostic): Diagnostic[] {
  const inner = diagnostic.messageChain?.[0];
  return [diagnostic, ...(inner ? chainOf(inner) : [])];
}

/** Returns a short readable name of a type. */
function readable(type: string): string {
  if (/^ToolResult_/.test(type)) return /\[\]$/.test(type) ? 'a list in the result' : 'the result';
  if (/^ToolArguments_\w+(?:\[\])*$/.test(type)) return /\[\]$/.test(type) ? 'an array of objects' : 'an object';
  if (/^\{.*\}$/s.test(type)) return 'an object';
  if (isUnion(type) && type.length > MAX_UNION_CHARACTERS) return `one of ${members(type).length} values`;
  return shortened(type.replace(/^Toolwright\w*Files$/, 'fs'));
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function unquoted(name: string): string {
  return name.replace(/^["']|["']$/g, '');
}

function each(codes: readonly number[], reader: Reader): [number, Reader][] {
  return codes.map((code) => [code, reader]);
}
