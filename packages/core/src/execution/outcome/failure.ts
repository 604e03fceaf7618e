import type { Redactor } from '@toolwright/pii/internal';
import type { GuestFailure, PreparedSource } from '@toolwright/sandbox';
import { authorFrames, GUEST_RUNTIME_CODES, type KnownFault, stackText, toFault } from '@toolwright/sandbox/internal';
import { errorKind, isErrorCode, ToolwrightError } from '../../errors.ts';
import type { ExecutionError } from '../../history/result.ts';
import { redactedPrefix } from '../large-results/redacted-prefix.ts';

/** Maximum characters of the message and of the name of a guest's error. */
const MAX_MESSAGE_CHARACTERS = 8 * 1024;
const MAX_NAME_CHARACTERS = 200;

/**
 * Describes an error that ended a program. `fault` is the host's reply to the request that the error names as its
 * cause. Errors of the kinds `upstream` and `internal` keep the host's message: the program cannot rewrite it.
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
    stack: frames.length > 0 ? stackText(frames) : undefined,
  };
}

/** A program may set its own codes. Codes of Toolwright would report something that did not happen. */
function guestCode(code = 'GUEST_ERROR'): string {
  if (isErrorCode(code) && !GUEST_RUNTIME_CODES.has(code)) return 'GUEST_ERROR';
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
    name: code === 'SYNTAX' || code === 'SOURCE_TOO_COMPLEX' ? 'SyntaxError' : 'Error',
    message: fault.message,
    ...(typeof line === 'number' && typeof column === 'number' ? { line, column } : {}),
  };
}
