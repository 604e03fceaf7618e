import type { ToolDefinition } from '@toolwright/connectors';

/** What happens to tools in quarantine: nothing is checked, they are reported, or they are also hidden and refused. */
export const PIN_MODES = ['off', 'warn', 'block'] as const;

/** See {@link PIN_MODES}. */
export type PinMode = (typeof PIN_MODES)[number];

/**
 * Why a tool is in quarantine. `new`: added to a server after its first listing. `changed`: differs from its pin. `server`: pinned for a
 * server with another command or address. `renamed`: the definition of another pin. `shadowing`: imitates a tool of another server. `poisoned`: hidden text, or instructions to a model.
 */
export interface PinReason {
  readonly code: 'new' | 'changed' | 'server' | 'renamed' | 'shadowing' | 'poisoned';
  /** One sentence without an end mark. Quotes of the definition have escapes for invisible characters. */
  readonly text: string;
}

/** A tool, compared with its pin. */
export interface ToolPin {
  /** `server__tool`. */
  readonly id: string;
  readonly server: string;
  /** The server's own name of the tool. */
  readonly name: string;
  readonly state: 'accepted' | 'quarantined';
  /** Empty for an accepted tool. */
  readonly reasons: readonly PinReason[];
  /** Hash of the definition that the server lists now. */
  readonly fingerprint: string;
  /** The time of an explicit approval, in ISO 8601. Absent: accepted with the first listing of its server, or not accepted. */
  readonly approvedAt?: string;
  /** The lines that differ from the pinned definition, for a changed or renamed tool. */
  readonly diff?: string;
}

/** The server of a definition: its name, and its key if it has one. */
export interface PinSource {
  readonly server: string;
  readonly serverKey: string | undefined;
}

/** Fingerprint of an accepted definition. */
export interface StoredPin {
  /** The identity of the server; see `Connector.serverKey`. */
  readonly serverKey?: string | undefined;
  readonly fingerprint: string;
  /** Fingerprint without the name, to recognise a renamed tool. */
  readonly content: string;
  /** Milliseconds since 1970; absent for the first listing of the server. */
  readonly approvedAtMs?: number | undefined;
  /** Absent when it is too long to be stored. */
  readonly definition?: ToolDefinition | undefined;
}

/** The accepted tools of one server. */
export interface ServerRecord {
  /** Start of the process that listed the server first, in milliseconds since 1970: servers with the same time were accepted together. */
  readonly sinceMs: number;
  /** By the server's own name of the tool. */
  readonly tools: ReadonlyMap<string, StoredPin>;
}

/** Returns the error text of a hidden tool: why it is hidden, and the fix. */
export function quarantineText({ id, reasons }: ToolPin): string {
  const codes = reasons.map(({ code }) => code).join(', ');
  const fix = `The operator can look at it with "toolwright tools pins" and accept it with "toolwright tools pins --approve ${id}".`;
  return `The tool "${id}" is in quarantine (${codes}). Nothing was sent. ${fix}`;
}
