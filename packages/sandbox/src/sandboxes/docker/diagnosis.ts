import type { Engine } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { buildCommand } from './image.ts';

/** What is wrong, and what to do about it. */
export interface Diagnosis {
  readonly reason: string;
  readonly fix: string;
}

/** Says what the failure of a call of the engine means for whoever wants a container of `image`. */
export function diagnose(thrown: unknown, image: string, command: Engine['command'] = 'docker'): Diagnosis {
  const error = EngineError.from(thrown);
  if (error.status === 404 && /image/i.test(error.message)) {
    return { reason: `the image ${image} is not there`, fix: `run: ${buildCommand(image, command)}` };
  }
  if (error.unreachable) {
    const reason = error.fix ? error.message : `the container engine does not answer any more: ${error.message}`;
    return { reason, fix: error.fix ?? 'start the container engine again' };
  }
  return {
    reason: `the container engine refused with status ${error.status}: ${error.message}`,
    fix: 'its log says more; "docker info" shows what it supports',
  };
}
