/** One use of a value. It contains neither the value nor anything derived from it. */
export interface AuditRecord {
  /** The time, as ISO 8601. */
  readonly at: string;
  readonly user: string;
  readonly session: string;
  /** A value was restored or masked for a tool, a derivation was returned, or either was denied. */
  readonly event: 'restore' | 'mask' | 'derivation' | 'denial';
  /** The name of the placeholder, `EMAIL_1`. */
  readonly placeholder: string;
  readonly type: string;
  /** The tool that requested the value. */
  readonly tool?: string;
  /** The requested derivation. */
  readonly derivation?: string;
  /** The reason of a denial, or of a restored value that the policy protects. */
  readonly reason?: string;
}

/** Receives audit records before a value is used. If it throws, the value is not used. */
export type AuditSink = (record: AuditRecord) => void;
