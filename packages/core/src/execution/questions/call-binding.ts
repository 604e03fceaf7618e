import { exactText } from '@toolwright/sandbox/internal';
import { fingerprintOf } from '../../catalog/fingerprint.ts';
import { codeOf } from '../../stores/data-folder/integrity.ts';
import type { CallQuestion } from '../../tool-calls/call.ts';

/** The user of an execution, and the key of the journals. */
export interface BindingKey {
  readonly key: Buffer;
  readonly userId: string;
}

/** The codes for which a decision about a call holds. */
export interface CallBinding {
  /** Code of the user, the definition of the tool, the real arguments and the real details of the question. */
  readonly binding: string;
  /** Code of the user and the definition of the tool. */
  readonly toolBinding: string;
  /** Code of the server behind its name; absent for a source without `Connector.serverKey`. */
  readonly serverBinding?: string;
}

/** Returns the codes of a call. */
export function bindingOf(
  { tool, args, details }: Pick<CallQuestion, 'tool' | 'args' | 'details'>,
  { key, userId }: BindingKey,
): CallBinding {
  const fingerprint = fingerprintOf([tool]);
  const about = details === undefined ? [] : [JSON.stringify(details)];
  const { serverKey } = tool;
  return {
    serverBinding: serverKey === undefined ? undefined : codeOf(key, 'server', serverKey),
    binding: codeOf(key, userId, fingerprint, exactText(args), ...about),
    toolBinding: codeOf(key, userId, fingerprint),
  };
}

/** Returns whether a recorded code is of the server of now. A record of an earlier version has none, and its other codes decide. */
export function isSameServer(
  recorded: Pick<CallBinding, 'serverBinding'>,
  now: Pick<CallBinding, 'serverBinding'>,
): boolean {
  return recorded.serverBinding === undefined || recorded.serverBinding === now.serverBinding;
}
