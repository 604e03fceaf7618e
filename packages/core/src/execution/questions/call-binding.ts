import type { Tool } from '@toolwright/connectors';
import { exactText } from '@toolwright/sandbox/internal';
import { codeOf } from '@toolwright/storage/internal';
import { fingerprintOf } from '../../catalog/fingerprint.ts';
import { sealValue } from '../../journal/sealed-value.ts';
import type { CallScope } from '../../tool-calls/policy/call-scope.ts';

/** The user of an execution, and the key of the journals. */
export interface BindingKey {
  readonly key: Buffer;
  readonly userId: string;
}

/** The code of a server. */
export interface ServerBinding {
  /** Code of the server behind its name; absent for a source without `Connector.serverKey`. */
  readonly serverBinding?: string;
}

/** The codes for which a decision about a call holds. */
export interface CallBinding extends ServerBinding {
  /** Code of the user, the definition of the tool, the real arguments and the real details of the question. */
  readonly binding: string;
  /** Code of the user and the definition of the tool. */
  readonly toolBinding: string;
  /** Code of the user, the definition of the tool and the scope of the call. Absent for a call without a scope. */
  readonly scopeBinding?: string;
  /** The amounts of the scope, sealed. */
  readonly sealedAmounts?: string;
}

/** A call for which a decision holds. */
interface BoundCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly details?: unknown;
  readonly scope?: CallScope | undefined;
}

/** Returns the codes of a call. */
export function bindingOf({ tool, args, details, scope }: BoundCall, { key, userId }: BindingKey): CallBinding {
  const fingerprint = fingerprintOf([tool]);
  const about = details === undefined ? [] : [JSON.stringify(details)];
  const { serverKey } = tool;
  return {
    serverBinding: serverKey === undefined ? undefined : codeOf(key, 'server', serverKey),
    binding: codeOf(key, userId, fingerprint, exactText(args), ...about),
    toolBinding: codeOf(key, userId, fingerprint),
    ...(scope && scopeCodes(codeOf(key, 'scope', userId, fingerprint, exactText(scope.fixed)), scope, key)),
  };
}

function scopeCodes(scopeBinding: string, { amounts }: CallScope, key: Buffer) {
  return { scopeBinding, sealedAmounts: sealValue(key, amountsPlace(scopeBinding), amounts) };
}

/** Returns the place of the sealed amounts of a scope. */
export function amountsPlace(scopeBinding: string): readonly [string, number, string] {
  return [scopeBinding, 0, 'amounts'];
}

/** Returns whether a recorded code is of the server of now. A record of an earlier version has none, and its other codes decide. */
export function isSameServer(recorded: ServerBinding, now: ServerBinding): boolean {
  return recorded.serverBinding === undefined || recorded.serverBinding === now.serverBinding;
}
