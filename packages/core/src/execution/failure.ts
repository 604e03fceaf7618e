import type { Redactor } from '@toolwright/pii/internal';
import type { GuestFailure, PreparedSource } from '@toolwright/sandbox';
import { authorFrames, GUEST_RUNTIME_CODES, type KnownFault, stackText, toFault } from '@toolwright/sandbox/internal';
import { errorKind, isErrorCode, ToolwrightError } from '../errors.ts';
import { redactedPrefix } from './redacted-prefix.ts';
import type { ExecutionError } from './result.ts';

export { authorFrames };

/** Characters of a guest's message and of its error's name that are told. */
const MAX_MESSAGE_CHARACTERS = 8 * 1024;
const MAX_NAME_CHARACTERS = 200;

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
    ...(frames.length > 0 ? { stack: stackText(frames) } : {}),
  };
}

/** A program may give its errors codes of its own; ours would tell of what did not happen. */
function guestCode(code = 'GUEST_ERROR'): string {
  if (isErrorCode(code) && !GUEST_RUNTIME_CODES.has(code)) return 'GUEST_ERROR';
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
