import { mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PiiError } from '../errors.ts';
import type { AuditSink } from './audit.ts';

/**
 * Writes audit records as JSON lines to `<folder>/<year>-<month>.jsonl`, readable by its owner only. Each record is
 * one write, so that lines of several processes do not mix. Raises `STORE_UNAVAILABLE` if a record cannot be written: the
 * value is then neither restored nor derived.
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
      const message = `The audit log in ${folder} cannot be written, so no personal data is restored. Check the disk and the permissions.`;
      throw new PiiError('STORE_UNAVAILABLE', message, { cause });
    }
  };
}
