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

/** Receives audit records before a value is used. If it throws, or its promise rejects, the value is not used. */
export type AuditSink = (record: AuditRecord) => void | Promise<void>;

/** Notes a record of work that {@link audited} runs. */
export type Audit = (record: AuditRecord) => void;

/** Runs work that uses values. Its outcome waits until all of its records are written: it rejects if one of them cannot be. */
export async function audited<T>(sink: AuditSink, work: (audit: Audit) => Promise<T>): Promise<T> {
  const writes: Promise<void>[] = [];
  const audit = (record: AuditRecord) => {
    const written = sink(record);
    if (written === undefined) return;
    // The rejection is raised below, perhaps some turns later.
    written.catch(() => undefined);
    writes.push(written);
  };
  try {
    return await work(audit);
  } finally {
    await Promise.all(writes);
  }
}
