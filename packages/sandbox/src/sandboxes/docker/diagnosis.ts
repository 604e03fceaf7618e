import type { Engine } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { buildCommand } from './image.ts';

/** A problem of the engine, and its fix. */
export interface Diagnosis {
  readonly reason: string;
  readonly fix: string;
}

/** Returns the problem and the fix for a failed call of the engine that concerns a container of `image`. */
export function diagnose(thrown: unknown, image: string, command: Engine['command'] = 'docker'): Diagnosis {
  const error = EngineError.from(thrown);
  if (error.status === 404 && /image/i.test(error.message)) {
    return { reason: `the image ${image} does not exist`, fix: `run: ${buildCommand(image, command)}` };
  }
  if (error.unreachable) {
    const reason = error.fix ? error.message : `the container engine stopped answering: ${error.message}`;
    return { reason, fix: error.fix ?? 'start the container engine again' };
  }
  return {
    reason: `the container engine answered with status ${error.status}: ${error.message}`,
    fix: 'see the log of the engine; "docker info" shows its features',
  };
}
