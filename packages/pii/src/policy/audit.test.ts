import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRedactor } from '../redaction/create-redactor.ts';
import type { AuditRecord } from './audit.ts';
import { audited } from './audit.ts';

it('returns a value only after its record is written', async () => {
  const written: string[] = [];
  const redactor = createRedactor({
    async audit({ placeholder }) {
      await sleep(30);
      written.push(placeholder);
    },
  });
  const text = await redactor.redact('ada@example.org');
  expect(await redactor.restore(text)).toBe('ada@example.org');
  expect(written).toEqual(['EMAIL_1']);
});

it('rejects with the error of a record that cannot be written, also if the work has failed', async () => {
  const full = new Error('disk full');
  const redactor = createRedactor({ audit: () => Promise.reject(full) });
  const text = await redactor.redact('ada@example.org');
  await expect(redactor.restore(text)).rejects.toBe(full);
  await expect(redactor.restore('[EMAIL_9]')).rejects.toBe(full);
  const late = audited(
    () => Promise.reject(full),
    async (audit) => {
      audit({} as AuditRecord);
      await sleep(20);
      return 'value';
    },
  );
  await expect(late).rejects.toBe(full);
});
