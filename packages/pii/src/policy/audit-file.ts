import { mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PiiError } from '../errors.ts';
import type { AuditSink } from './audit.ts';

/**
 * Writes audit records as JSON lines to `<folder>/<year>-<month>.jsonl`, readable by its owner only, each in one write, so
 * that lines of other processes stay whole. Raises `STORE_UNAVAILABLE` when a record cannot be written: what it tells of
 * does not happen then.
 */
export function auditFile(folder: string): AuditSink {
  let month = '';
  let file = 0;
  return (record) => {
    try {
      const current = record.at.slice(0, 7);
      if (current !== month) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        file = openSync(join(folder, `${current}.jsonl`), 'a', 0o600);
        month = current;
      }
      writeSync(file, `${JSON.stringify(record)}\n`);
    } catch (cause) {
      const message = `The audit of personal data cannot be written to ${folder}, so none is given out. Check its disk and its rights.`;
      throw new PiiError('STORE_UNAVAILABLE', message, { cause });
    }
  };
}
