import { randomUUID } from 'node:crypto';
import { type ErrorCode, ToolwrightError } from '../errors.ts';
import type { BridgeFault } from './protocol.ts';

/**
 * Turns an error of the host into what the guest may see: our own errors with their message and code, anything else as
 * an id whose story only the log tells.
 */
export function toFault(
  error: unknown,
  onDefect: (id: string, error: unknown) => void,
): { readonly code: ErrorCode; readonly fault: BridgeFault } {
  if (error instanceof ToolwrightError && error.code !== 'INTERNAL') {
    const { errno, ...details } = error.details;
    const isFile = error.code === 'FILE_ERROR' || error.code === 'WORKSPACE_FULL';
    return {
      code: error.code,
      fault: {
        name: isFile ? 'Error' : 'ToolError',
        code: typeof errno === 'string' ? errno : error.code,
        message: error.message,
        ...(Object.keys(details).length > 0 ? { details } : {}),
      },
    };
  }
  const id = randomUUID().slice(0, 8);
  onDefect(id, error);
  const message = `Internal error [${id}]. The log of the host tells more.`;
  return { code: 'INTERNAL', fault: { name: 'ToolError', code: 'INTERNAL', message } };
}
