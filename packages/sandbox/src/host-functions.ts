import type { Room } from './bridge/protocol.ts';
import { isKnownError, SandboxError } from './errors.ts';
import { GUEST_NAMES } from './guest-api.ts';

interface Callable {
  call(input: unknown): unknown;
}

/**
 * A function of the host that a program may call. It receives one object, which comes unchecked from the program, and
 * returns a value with a JSON form, or a promise of one. Declare the type of the input: `({ a }: { a: number }) => a + 1`.
 */
// The type of a method, not of a function: its parameter may have any declared type.
export type HostFunction = Callable['call'];

/** Functions of the host by the name that programs use. */
export type HostFunctions = Readonly<Record<string, HostFunction>>;

/** Makes one call of a program: from the name and the input of a function to its result as JSON text. */
export type CallHostFunction = (name: string, input: Readonly<Record<string, unknown>>, room: Room) => Promise<string>;

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const KEYWORDS = `arguments await break case catch class const continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface let new null package private protected
public return static super switch this throw true try typeof var void while with yield
False None True and as assert async def del elif except from global is lambda nonlocal not or pass raise`;

/** Errors of these classes are defects of a host function, not messages for the program. */
const DEFECTS = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError, URIError];

/** Creates the call operation of a bridge for these functions. Raises `CONFIG_INVALID` for an unusable name or value. */
export function createHostCalls(functions: HostFunctions, maxResultBytes: number): CallHostFunction {
  const known = new Map(Object.entries(functions));
  for (const [name, run] of known) checkFunction(name, run);
  return async (name, input, room) => {
    await room();
    const run = known.get(name);
    if (!run) throw unknownFunction(name, [...known.keys()]);
    const text = JSON.stringify(await callFunction(run, input)) ?? '';
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxResultBytes) return text;
    throw new SandboxError('RESULT_TOO_LARGE', `${name} returned ${bytes} bytes, the limit is ${maxResultBytes}.`);
  };
}

/** Calls a function. Raises `TOOL_FAILED` with the message of an `Error` that is for the program. */
async function callFunction(run: HostFunction, input: unknown): Promise<unknown> {
  try {
    return await run(input);
  } catch (error) {
    if (isKnownError(error) || !isForProgram(error)) throw error;
    throw new SandboxError('TOOL_FAILED', error.message, { cause: error });
  }
}

/** Node's own errors, such as `ENOENT`, name files and addresses of the host, so they are defects here. */
function isForProgram(error: unknown): error is Error {
  return error instanceof Error && !('syscall' in error) && !DEFECTS.some((defect) => error instanceof defect);
}

function checkFunction(name: string, run: unknown): void {
  if (!IDENTIFIER.test(name) || name.startsWith('__')) {
    const rule = 'Use letters, digits and "_", first a letter';
    throw new SandboxError(
      'CONFIG_INVALID',
      `The function name ${JSON.stringify(name)} is not an identifier. ${rule}.`,
    );
  }
  if (isReserved(name)) {
    throw new SandboxError('CONFIG_INVALID', `The function name "${name}" is reserved in programs. Use another name.`);
  }
  if (typeof run === 'function') return;
  const given = run === null ? 'null' : typeof run;
  throw new SandboxError('CONFIG_INVALID', `functions.${name} must be a function, not ${given}.`);
}

/** `result` is the variable that holds the result of a Python program. */
const RESERVED: ReadonlySet<string> = new Set([
  ...KEYWORDS.split(/\s+/),
  ...GUEST_NAMES.typescript,
  ...GUEST_NAMES.python,
  'result',
]);

/** A function named "Map" would break the guest runtime. Globals of the language are not enumerable, unlike `fetch`. */
function isReserved(name: string): boolean {
  return RESERVED.has(name) || Object.getOwnPropertyDescriptor(globalThis, name)?.enumerable === false;
}

function unknownFunction(name: string, known: readonly string[]): SandboxError {
  const list = known.join(', ') || 'none';
  return new SandboxError('INVALID_ARGUMENTS', `There is no function "${name}". The functions are: ${list}.`);
}
