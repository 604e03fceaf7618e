import type { PreparedSource } from '@toolwright/sandbox';
import { authorFrames, isDeeperThan, parseWithDigits } from '@toolwright/sandbox/internal';
import type { Limits } from '../../config/sections/limits.ts';
import { ToolwrightError } from '../../errors.ts';
import type { EndedOutcome, ExecutionError, ResultFile, StopLimit } from '../../history/result.ts';
import type { Attempt, Execution } from '../execution.ts';
import { hintFor, syntaxHint } from '../hints/hints.ts';
import { resultsHint } from '../hints/results.ts';
import { previewOf } from '../large-results/preview.ts';
import { storeResult, unreadable } from '../large-results/stored-result.ts';
import { withStoredBlocks } from '../media/media.ts';
import { describeError, describeFailure, shortenError } from './failure.ts';
import { misspeltFields } from './field-names.ts';

/** Tools that a note about further pages names. */
const MAX_UNREAD = 3;

/** Messages of engines about an expression: V8 prints the rewritten one, QuickJS none. */
const NO_FUNCTION = /^(?:.*__toolwright_.* is )?not a function$/s;
const NO_ITERABLE =
  /^(?:.*__toolwright_.* is )?(?:value is )?not (?:a function or its return value is not )?iterable\b/s;
/** The calls that a rewriting inserts, as V8 prints them. */
const INSERTED = /__toolwright_link|__toolwright_\w+(?:\.\w+(?:\(\.\.\.\))?)?/g;
const MAX_CHARACTERS = 100;

/** Returns the outcome of an attempt, not yet redacted as a whole. Raises errors of a result that cannot be returned. */
export async function outcomeOf(execution: Execution, { ending, prepared }: Attempt): Promise<EndedOutcome> {
  const { context, catalog, source, settings, host, redactor } = execution;
  if ('stopped' in ending) return stopped(ending.stopped, settings.limits, prepared);
  if ('problem' in ending) return { status: 'failed', error: ending.problem };
  if ('error' in ending) {
    const error = describeError(ending.error, context.onDefect);
    return { status: 'failed', error: hinted(error, syntaxHint(error, source, context.language.name)) };
  }
  const { outcome } = ending;
  if (outcome.status === 'stopped') return stopped(outcome.limit, settings.limits, prepared, outcome.stack);
  if (outcome.status === 'completed') {
    return completed(
      outcome.value && (await withStoredBlocks(outcome.value, () => execution.guestFiles().media)),
      execution,
    );
  }
  if (!prepared) throw new ToolwrightError('INTERNAL', 'A program that was not prepared failed in the sandbox.');

  const { error } = outcome;
  const fault = error.request === undefined ? undefined : host.faultOf(error.request);
  const failure = inAuthorsWords(describeFailure(error, prepared, fault), source);
  const described = await shortenError(failure, redactor);
  const tool = error.request === undefined ? undefined : host.failedTool(error.request);
  const keptAdvice = execution.kept.advice;
  const hint = await hintFor(described, { source, prepared, catalog, calls: host.calls(), keptAdvice });
  return { status: 'failed', error: hinted(tool === undefined ? described : { ...described, tool }, hint) };
}

function hinted(error: ExecutionError, hint: string | undefined): ExecutionError {
  return hint === undefined ? error : { ...error, hint };
}

/**
 * Returns a note about the missing value, with the last results: the program may have read a field that they lack. A program that printed
 * its answer needs no note.
 */
async function nothingReturned({ context, catalog, host, source, events }: Execution): Promise<EndedOutcome> {
  const { name } = context.language;
  const idle = uncalledFunction(source);
  if (idle !== undefined) {
    const call =
      name === 'python' ? `result = ${idle.isAsync ? 'await ' : ''}${idle.name}()` : `return await ${idle.name}()`;
    return {
      status: 'completed',
      note: `The program returned nothing: ${idle.name} is never called. Add a last line: \`${call}\`.`,
    };
  }
  if (events.hasLogs() && printsLast(source)) return { status: 'completed' };
  const ending = name === 'python' ? '`result = value`' : '`return value`';
  const results = await resultsHint(host.calls(), catalog, name);
  const note = `The program returned nothing. End it with ${ending}.`;
  return { status: 'completed', note: results === undefined ? note : `${note} ${results}` };
}

/** Returns whether a program prints after its last call of a tool: one that prints before it has forgotten its value. */
function printsLast(source: string): boolean {
  const lastOf = (pattern: RegExp) => [...source.matchAll(pattern)].at(-1)?.index ?? -1;
  return lastOf(/\bconsole\.\w+\(|\bprint\(/g) > lastOf(/\b(?:callMCPTool|call_mcp_tool|servers)\b/g);
}

/** A function that a line of the program declares. Functions in expressions and default exports are called otherwise. */
const FUNCTION = /^(?:export\s+)?(async\s+)?(?:function|def)\s+(\w+)/gm;

/** Returns the last function whose name is in the program once: nothing calls it. */
function uncalledFunction(source: string): { readonly name: string; readonly isAsync: boolean } | undefined {
  const words = new Map<string, number>();
  for (const [word] of source.matchAll(/\w+/g)) words.set(word, (words.get(word) ?? 0) + 1);
  const idle = [...source.matchAll(FUNCTION)].findLast(([, , name = '']) => words.get(name) === 1);
  return idle && { name: idle[2] ?? '', isAsync: idle[1] !== undefined };
}

async function completed(value: string | undefined, execution: Execution): Promise<EndedOutcome> {
  const { limits } = execution.settings;
  if (value === undefined) return nothingReturned(execution);
  if (Buffer.byteLength(value) > limits.resultBytes) {
    const file = await storeResult(value, execution);
    return { status: 'completed', value: await preview(value, file, execution), file };
  }
  if (isDeeperThan(value, limits.depth)) {
    const message = `The result is nested deeper than ${limits.depth} levels. Flatten it.`;
    throw new ToolwrightError('RESULT_NOT_JSON', message);
  }
  const notes =
    execution.host.calls().length === 0
      ? []
      : [unreadPages(value, execution), await misspeltFields(execution)].filter((note) => note !== undefined);
  return { status: 'completed', value: parsed(value), note: notes.join(' ') || undefined };
}

function parsed(value: string): unknown {
  try {
    return parseWithDigits(value);
  } catch (cause) {
    throw new ToolwrightError('BRIDGE_PROTOCOL', 'The sandbox returned a result that is not JSON.', { cause });
  }
}

/** Returns a note about results whose next page neither the program nor the reader of its value can see; undefined without any. */
function unreadPages(value: string, { source, host }: Execution): string | undefined {
  // The last call of a loop has the last page.
  const last = new Map<string, ReturnType<typeof host.calls>[number]>();
  for (const call of host.calls()) last.set(call.tool, call);
  const unread = [...last.values()].flatMap(({ tool, nextPage }) =>
    nextPage === undefined || source.includes(nextPage) || value.includes(`"${nextPage}"`) ? [] : [{ tool, nextPage }],
  );
  if (unread.length === 0) return undefined;
  const listed = unread.slice(0, MAX_UNREAD).map(({ tool, nextPage }) => `${tool} (${nextPage})`);
  return `First page only, more follow: ${listed.join(', ')}.`;
}

async function preview(
  value: string,
  { path, bytes }: ResultFile,
  { id, settings, redactor }: Execution,
): Promise<string> {
  const { resultBytes, messageBytes } = settings.limits;
  const start = await previewOf(value, resultBytes, redactor);
  const size = `The result has ${bytes} bytes; the limit is ${resultBytes}.`;
  const problem = await unreadable(value, messageBytes);
  const inSession = settings.sessionId === undefined ? '' : ` Programs of this session find it in ${path} too.`;
  const later =
    problem === undefined
      ? `In the next program, await execution("${id}") returns all of it.${inSession}`
      : `It ${problem}, so no program can read it by execution("${id}"): return less, or a list of pairs.`;
  return `${start}\n[${size} ${later}]`;
}

function stopped(limit: StopLimit, limits: Limits, prepared: PreparedSource | undefined, stack = ''): EndedOutcome {
  const line = prepared ? authorFrames(stack, prepared)[0]?.position.line : undefined;
  const where = line === undefined ? '' : ` It was stopped at line ${line}.`;
  const messages: Record<StopLimit, string> = {
    timeout: `The program ran longer than ${limits.timeoutMs} ms.${where} Do less per execution: await calls in parallel, or split the work over several.`,
    memory: `The program used more than ${limits.memoryBytes} bytes of memory.${where} Process data in smaller parts.`,
    toolCalls: `The program made more than ${limits.toolCalls} tool calls. Request more data per call, or split the work over several executions.`,
    cancelled: 'The caller cancelled the execution.',
  };
  return { status: 'stopped', limit, message: messages[limit], line };
}

/** Returns the error with a message about the expression as its author wrote it. */
export function inAuthorsWords(error: ExecutionError, source: string): ExecutionError {
  const { message, line, column } = error;
  const what = NO_FUNCTION.test(message) ? 'a function' : NO_ITERABLE.test(message) ? 'iterable' : undefined;
  if (what === undefined || line === undefined || column === undefined) {
    const plain = message.replaceAll(INSERTED, '(intermediate value)');
    return plain === message ? error : { ...error, message: plain };
  }
  const text = source.split('\n')[line - 1] ?? '';
  const expression = chainAt(text, column - 1, what === 'iterable');
  return { ...error, message: `${expression === '' ? 'A value' : expression} is not ${what}` };
}

/** Returns the members and calls around an index, as in `rows.map(...).first`. `isWhole` includes those after it. */
function chainAt(text: string, index: number, isWhole: boolean): string {
  const [rest = ''] = /^[\w$]*/.exec(text.slice(index)) ?? [];
  const [further = ''] = isWhole ? (/^(?:\??\.[\w$]+)*/.exec(text.slice(index + rest.length)) ?? []) : [];
  let at = index + rest.length;
  let chain = further;
  for (;;) {
    const [name] = /[\w$]+$/.exec(text.slice(0, at)) ?? [];
    if (name !== undefined) {
      chain = name + chain;
      at -= name.length;
    } else {
      const start = openingOf(text, at - 1);
      if (start === undefined) break;
      chain = (text[start] === '(' ? '(...)' : text.slice(start, at)) + chain;
      at = start;
      continue;
    }
    const [dot] = /\??\.$/.exec(text.slice(0, at)) ?? [];
    if (dot === undefined) break;
    chain = dot + chain;
    at -= dot.length;
  }
  return chain.slice(-MAX_CHARACTERS);
}

/** Returns the index of the bracket that a closing one at an index ends; undefined for another character. */
function openingOf(text: string, end: number): number | undefined {
  if (text[end] !== ')' && text[end] !== ']') return undefined;
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (/[)\]]/.test(text[at] ?? '')) depth++;
    else if (/[([]/.test(text[at] ?? '') && --depth === 0) return at;
  }
  return undefined;
}
