import { messageOf } from '../../errors.ts';

/** Raised when a call of the container engine fails, with the fix if one is known. */
export class EngineError extends Error {
  /** HTTP status, if the engine answered. */
  readonly status: number | undefined;
  /** The package to install or the setting to change, if known. */
  readonly fix: string | undefined;
  /** Whether there was no connection to the engine. */
  readonly unreachable: boolean;

  constructor(message: string, { status, code, fix, cause }: EngineErrorOptions = {}) {
    super(message, { cause });
    this.status = status;
    this.fix = fix ?? (code === 'EACCES' || code === 'EPERM' ? PERMISSION_FIX : undefined);
    this.unreachable = status === undefined;
  }

  /** Converts an error of the client library. */
  static from(error: unknown): EngineError {
    if (error instanceof EngineError) return error;
    const { code, statusCode } = Object(error);
    const options = {
      status: typeof statusCode === 'number' ? statusCode : undefined,
      code: typeof code === 'string' ? code : undefined,
    };
    return new EngineError(messageOf(error).replace(STATUS_TEXT, '').trim(), { ...options, cause: error });
  }

  /** Returns the same error with the address of the attempt. */
  static at(address: string, thrown: unknown): EngineError {
    const error = EngineError.from(thrown);
    const { status, fix } = error;
    const options = { status, fix };
    return new EngineError(`${address}: ${error.message}`, { ...options, cause: error });
  }
}

interface EngineErrorOptions {
  readonly status?: number;
  readonly code?: string;
  readonly fix?: string;
  readonly cause?: unknown;
}

/** The text that the client library adds before the engine's message. */
const STATUS_TEXT = /^\(HTTP code \d+\) .*? - /;
const PERMISSION_FIX =
  'this user may not use the engine: run a rootless engine, or add the user to the group "docker" and log in again';
const START_FIX = 'start Docker or Podman ("podman system service --time=0" offers its API), or set DOCKER_HOST';

export function noClient(cause: unknown): EngineError {
  return new EngineError('the client library of the engine is not installed', {
    fix: 'run: npm install docker-modem',
    cause,
  });
}

export function noEngine(refusals: readonly EngineError[]): EngineError {
  const [first] = refusals;
  if (!first) return new EngineError('no container engine was found', { fix: START_FIX });
  const tried = refusals.map(({ message }) => message).join('; ');
  return new EngineError(`no container engine answers (${tried})`, { fix: first.fix ?? START_FIX, cause: first });
}
