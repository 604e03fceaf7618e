import { expect, it } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { needsPostgres, textOf, useDatabase } from '../../../../test/fixtures/postgres.ts';
import { createRedactor } from '../../../pii/src/redaction/create-redactor.ts';
import { auditTable } from './audit-table.ts';
import { openPostgres, type Postgres } from './connection.ts';

needsPostgres.describe('the table of audit records', () => {
  const server = useDatabase();
  const rows = (columns = `record->>'event', record->>'placeholder'`) =>
    server.postgres.sql(server.url, `select ${columns} from toolwright.audit_records order by id`).split('\n');

  it('has a record before its value is restored, in one statement with others of a call', async () => {
    const statements: string[] = [];
    const counted: Pick<Postgres, 'write'> = {
      write(sql, values) {
        statements.push(textOf(sql));
        return server.database.write(sql, values);
      },
    };
    const redactor = createRedactor({ audit: auditTable(partial(counted)), user: 'a\0da', session: 's1' });
    const text = await redactor.redact('ada@example.org and bob@example.org');
    expect(await redactor.restore(text)).toBe('ada@example.org and bob@example.org');
    expect(rows()).toEqual(['restore|EMAIL_1', 'restore|EMAIL_2']);
    expect(statements).toHaveLength(1);
    expect(rows("session, at > now() - interval '1 minute'")[0]).toBe('s1|t');
    await expect(redactor.restore('[EMAIL_77]')).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
    expect(rows().at(-1)).toBe('denial|EMAIL_77');
    expect(rows('record').join()).not.toContain('example.org');
  });

  it('denies values while it cannot be written, and names the missing right', async () => {
    server.postgres.sql(server.url, 'create role reader login; grant usage on schema toolwright to reader');
    server.postgres.sql(server.url, 'grant select on all tables in schema toolwright to reader');
    await using reading = openPostgres({ url: server.url.replace('//owner@', '//reader@') });
    const redactor = createRedactor({ audit: auditTable(reading) });
    const text = await redactor.redact('eve@example.org');
    const before = rows().length;
    await expect(redactor.restore(text)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/permission denied for table audit_records\. .+ too few rights: GRANT/),
    });
    expect(rows()).toHaveLength(before);
  });
});
