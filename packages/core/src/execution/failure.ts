import type { Redactor } from '@toolwright/pii/internal';
import type { GuestFailure, PreparedSource } from '@toolwright/sandbox';
import { type KnownFault, type SourcePosition, toFault } from '@toolwright/sandbox/internal';
import { errorKind, isErrorCode, ToolwrightError } from '../errors.ts';
import { redactedPrefix } from './redacted-prefix.ts';
import type { ExecutionError } from './result.ts';
import { shorten } from './shorten.ts';

/** A frame of the program in a stack: `at name (/program.js:line:column)`. */
const PROGRAM_FRAME = /^\s*at (?:(.*?) )?\(?\/program\.(?:js|py):(\d+):(\d+)\)?$/;

/** Words that V8 puts before a function's name. */
const NAME_PREFIX = /^(?:async )?(?:Module\.)?/;
/** Names of the function that wraps a program, by engine. */
const WRAPPER_NAMES: ReadonlySet<string> = new Set(['default', 'program_default', '<anonymous>']);
/** Innermost frames of a shown stack; a runaway recursion has thousands. */
const MAX_FRAMES = 8;
/** Characters read of a guest's stack; a program can set the stack of an error to any text. */
const MAX_STACK_CHARACTERS = 64 * 1024;
/** Characters kept of the message of a guest's error, and of its name. */
const MAX_MESSAGE_CHARACTERS = 8 * 1024;
const MAX_NAME_CHARACTERS = 200;

/** Returns the author's frames of a guest stack, innermost first, with positions in the author's source. */
export function authorFrames(stack: string, source: PreparedSource): { name: string; position: SourcePosition }[] {
  const frames = stack
    .slice(0, MAX_STACK_CHARACTERS)
    .split('\n')
    .flatMap((line) => {
      const match = PROGRAM_FRAME.exec(line);
      const position = match && source.position(Number(match[2]), Number(match[3]));
      if (!match || !position) return [];
      const name = match[1]?.replace(NAME_PREFIX, '') ?? '';
      return [{ name: WRAPPER_NAMES.has(name) ? '' : shorten(name, MAX_NAME_CHARACTERS), position }];
    });
  return frames.slice(0, MAX_FRAMES);
}

/** Codes of Toolwright that a guest runtime may use. */
const RUNTIME_CODES: ReadonlySet<string> = new Set([
  'SYNTAX',
  'NEVER_SETTLES',
  'RESULT_NOT_JSON',
  'RESULT_TOO_LARGE',
  'ARGUMENTS_TOO_LARGE',
  'TOOL_RESULT_TOO_LARGE',
  'TOOL_FAILED',
]);

/**
 * Describes an error that ended a program. `fault` is the host's reply to the request that the error names as its cause. An
 * upstream or internal error keeps the host's message: the program cannot rewrite it.
 */
export function describeFailure(failure: GuestFailure, source: PreparedSource, fault?: KnownFault): ExecutionError {
  const frames = authorFrames(failure.stack, source);
  const [first] = frames;
  const kind = fault ? errorKind(fault.code) : 'user';
  return {
    kind,
    code: fault?.code ?? guestCode(failure.code),
    name: failure.name,
    message: fault && kind !== 'user' ? fault.message : failure.message,
    ...(first ? first.position : {}),
    ...(frames.length > 0 ? { stack: frames.map(frameText).join('\n') } : {}),
  };
}

/** A program may set its own codes. Codes of Toolwright would report something that did not happen. */
function guestCode(code = 'GUEST_ERROR'): string {
  if (isErrorCode(code) && !RUNTIME_CODES.has(code)) return 'GUEST_ERROR';
  return code;
}

/** Shortens the long texts of an error. Redacts them first: half a value is not recognised as personal data. */
export async function shortenError(error: ExecutionError, redactor: Redactor): Promise<ExecutionError> {
  const start = async (text: string, length: number) => {
    if (text.length <= length) return text;
    const kept = await redactedPrefix(text, length, redactor);
    return `${kept}… (+${text.length - length} characters)`;
  };
  return {
    ...error,
    code: await start(error.code, MAX_NAME_CHARACTERS),
    name: await start(error.name, MAX_NAME_CHARACTERS),
    message: await start(error.message, MAX_MESSAGE_CHARACTERS),
  };
}

/** Describes an error of the host: for an internal error, the id of its log entry only. */
export function describeError(error: unknown, onDefect: (id: string, error: unknown) => void): ExecutionError {
  const { code, fault } = toFault(error, onDefect);
  const { line, column } = error instanceof ToolwrightError ? error.details : {};
  return {
    kind: errorKind(code),
    code,
    name: code === 'SYNTAX' ? 'SyntaxError' : 'Error',
    message: fault.message,
    ...(typeof line === 'number' && typeof column === 'number' ? { line, column } : {}),
  };
}

function frameText({ name, position }: { name: string; position: SourcePosition }): string {
  return `  at ${name ? `${name} ` : ''}line ${position.line}, column ${position.column}`;
}
