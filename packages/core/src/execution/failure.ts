import type { Redactor } from '@toolwright/pii/internal';
import type { GuestFailure, PreparedSource } from '@toolwright/sandbox';
import { type KnownFault, type SourcePosition, toFault } from '@toolwright/sandbox/internal';
import { errorKind, isErrorCode, ToolwrightError } from '../errors.ts';
import { redactedPrefix } from './redacted-prefix.ts';
import type { ExecutionError } from './result.ts';
import { shorten } from './shorten.ts';

/** A frame of the program in a stack: `at name (/program.js:line:column)`. */
const PROGRAM_FRAME = /^\s*at (?:(.*?) )?\(?\/program\.(?:js|py):(\d+):(\d+)\)?$/;

/** What V8 puts in front of a function's name. */
const NAME_PREFIX = /^(?:async )?(?:Module\.)?/;
/** Names that engines give to the function that wraps a program. */
const WRAPPER_NAMES: ReadonlySet<string> = new Set(['default', 'program_default', '<anonymous>']);
/** Innermost frames that are shown; a runaway recursion has thousands. */
const MAX_FRAMES = 8;
/** Characters of a guest's stack that are read; an error may carry any text as its stack. */
const MAX_STACK_CHARACTERS = 64 * 1024;
/** Characters of a guest's message and of its error's name that are told. */
const MAX_MESSAGE_CHARACTERS = 8 * 1024;
const MAX_NAME_CHARACTERS = 200;

/** The author's frames of a guest stack, innermost first, with positions in the author's source. */
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

/** Codes of ours that a guest's runtime gives itself. */
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
 * What the caller gets to know of an error that ended a program. `fault` is what the host answered to the request that the
 * error is said to come of: who blames another than the program says it in the host's words, whatever the program made of
 * them.
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

/** A program may give its errors codes of its own; ours would tell of what did not happen. */
function guestCode(code = 'GUEST_ERROR'): string {
  if (isErrorCode(code) && !RUNTIME_CODES.has(code)) return 'GUEST_ERROR';
  return code;
}

/** The error with its long texts cut, guarded before, since half a value is no longer recognised as one. */
export async function briefly(error: ExecutionError, redactor: Redactor): Promise<ExecutionError> {
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

/** What the caller gets to know of an error of ours: opaque when it is a defect. */
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
