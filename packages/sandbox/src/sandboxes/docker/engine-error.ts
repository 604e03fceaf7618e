import { messageOf } from '../../errors.ts';

/** A call of the container engine that failed, and what to do about it. */
export class EngineError extends Error {
  /** HTTP status, when the engine answered. */
  readonly status: number | undefined;
  /** What to install or change, where that is known. */
  readonly fix: string | undefined;
  /** Whether the engine could not be reached at all, as opposed to having refused. */
  readonly unreachable: boolean;

  constructor(message: string, { status, code, fix, cause }: EngineErrorOptions = {}) {
    super(message, { cause });
    this.status = status;
    this.fix = fix ?? (code === 'EACCES' || code === 'EPERM' ? PERMISSION_FIX : undefined);
    this.unreachable = status === undefined;
  }

  /** Reads an error of the client library. */
  static from(error: unknown): EngineError {
    if (error instanceof EngineError) return error;
    const { code, statusCode } = Object(error);
    const options = {
      ...(typeof statusCode === 'number' ? { status: statusCode } : {}),
      ...(typeof code === 'string' ? { code } : {}),
    };
    return new EngineError(messageOf(error).replace(STATUS_TEXT, '').trim(), { ...options, cause: error });
  }

  /** The same, with the address that was tried. */
  static at(address: string, thrown: unknown): EngineError {
    const error = EngineError.from(thrown);
    const { status, fix } = error;
    const options = { ...(status === undefined ? {} : { status }), ...(fix === undefined ? {} : { fix }) };
    return new EngineError(`${address}: ${error.message}`, { ...options, cause: error });
  }
}

interface EngineErrorOptions {
  readonly status?: number;
  readonly code?: string;
  readonly fix?: string;
  readonly cause?: unknown;
}

/** What the client library puts before the engine's own words. */
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
