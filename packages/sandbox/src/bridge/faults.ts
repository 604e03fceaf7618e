import { randomUUID } from 'node:crypto';
import { isKnownError } from '../errors.ts';
import { descriptorShortage, isDescriptorShortage } from '../processes/descriptors.ts';
import type { BridgeFault } from './protocol.ts';

/**
 * Converts an error of the host to a fault for the guest. A known error keeps its message and code; any other error
 * becomes an id. `onDefect` receives the id and the error.
 */
export function toFault(
  error: unknown,
  onDefect: (id: string, error: unknown) => void,
): { readonly code: string; readonly fault: BridgeFault } {
  // A lack of descriptors may meet any part of the host, and is no defect of it.
  if (isDescriptorShortage(error) && !isKnownError(error)) return toFault(descriptorShortage(error), onDefect);
  if (isKnownError(error) && error.code !== 'INTERNAL') {
    const { errno, ...details } = error.details;
    const isFile = error.code === 'FILE_ERROR' || error.code === 'WORKSPACE_FULL';
    return {
      code: error.code,
      fault: {
        name: isFile ? 'Error' : 'ToolError',
        code: isFile && typeof errno === 'string' ? errno : error.code,
        message: error.message,
        details: Object.keys(details).length > 0 ? details : undefined,
      },
    };
  }
  const id = randomUUID().slice(0, 8);
  onDefect(id, error);
  const message = `Internal error [${id}]. The log of the host has the details.`;
  return { code: 'INTERNAL', fault: { name: 'ToolError', code: 'INTERNAL', message } };
}

/** The code and message of a failed request. */
export interface KnownFault {
  readonly code: string;
  readonly message: string;
}

/** Characters of a message that are kept. */
const MAX_KEPT_CHARACTERS = 8 * 1024;

/** Creates a store of the last faults of an execution, by the id of their request. */
export function createFaultMemory(max: number): {
  add(request: number, fault: KnownFault): void;
  get(request: number): KnownFault | undefined;
} {
  const faults = new Map<number, KnownFault>();
  return {
    add(request, { code, message }) {
      faults.delete(request);
      faults.set(request, { code, message: message.slice(0, MAX_KEPT_CHARACTERS) });
      if (faults.size > max) for (const oldest of faults.keys()) return void faults.delete(oldest);
    },
    get: (request) => faults.get(request),
  };
}

/** Returns a listener that reports errors of the given listener as defects, so that they do not end the execution. */
export function safeListener<T>(
  name: string,
  listener: ((event: T) => void) | undefined,
  onDefect: (id: string, error: unknown) => void,
): (event: T) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch (error) {
      onDefect(name, error);
    }
  };
}
