/** What was done with one value. It has no value in it, and nothing that was made of one. */
export interface AuditRecord {
  /** When, as ISO 8601. */
  readonly at: string;
  readonly user: string;
  readonly session: string;
  /** A value that went to a tool as it is or masked, a derivation that was told, or either that was refused. */
  readonly event: 'restore' | 'mask' | 'derivation' | 'denial';
  /** The name of the placeholder, `EMAIL_1`. */
  readonly placeholder: string;
  readonly type: string;
  /** The tool that got the value, or did not. */
  readonly tool?: string;
  /** What was derived, or was not. */
  readonly derivation?: string;
  /** Why it was refused. */
  readonly reason?: string;
}

/** Where audit records go. One that throws fails what it was told of, before a value leaves. */
export type AuditSink = (record: AuditRecord) => void;
