import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../test/fixtures/postgres.ts';
import { openPostgres } from '../../../storage/src/postgres/connection.ts';
import { joinCluster } from './cluster-keys.ts';

const newKey = () => randomBytes(32).toString('base64');
const journalOf = (dataDir: string) => readFileSync(join(dataDir, 'journal.key'));

needsPostgres.describe('the keys of a cluster', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  const enter = async (url: string, dataDir: string, env: Record<string, string> = {}) => {
    await using database = openPostgres({ url });
    return await joinCluster({ database, dataDir, env });
  };
  const refusal = (url: string, dataDir: string, env: Record<string, string> = {}) =>
    enter(url, dataDir, env).then(
      () => 'joined',
      ({ code, message }) => `${code}: ${message}`,
    );

  it('come from the first process, and another machine needs the master key alone', async () => {
    const url = await postgres.create();
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const key = newKey();
    await enter(url, first, { TOOLWRIGHT_MASTER_KEY: key });
    await enter(url, second, { TOOLWRIGHT_MASTER_KEY: key });
    expect(journalOf(second)).toEqual(journalOf(first));
    expect(existsSync(join(second, 'master.key'))).toBe(false);
    const stored = postgres.bytes(url);
    for (const secret of [journalOf(first), Buffer.from(key, 'base64'), Buffer.from(key)])
      expect(stored.includes(secret)).toBe(false);
  });

  it('are the same for machines that start at once with one master key', async () => {
    const url = await postgres.create();
    const folders = Array.from({ length: 4 }, () => temporaryFolder());
    const env = { TOOLWRIGHT_MASTER_KEY: newKey() };
    await Promise.all(folders.map((folder) => enter(url, folder, env)));
    expect(new Set(folders.map((folder) => journalOf(folder).toString('hex'))).size).toBe(1);
  });

  it('stay those of an existing data folder, whose files can be copied', async () => {
    const url = await postgres.create();
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(first, 'journal.key'), randomBytes(32));
    const before = journalOf(first);
    await enter(url, first);
    expect(journalOf(first)).toEqual(before);
    expect(await refusal(url, second)).toMatch(
      /^CONFIG_INVALID: This process has no master key, .+ Set TOOLWRIGHT_MASTER_KEY .+ or copy their master\.key to .+\/master\.key\.$/,
    );
    expect(existsSync(join(second, 'master.key'))).toBe(false);
    writeFileSync(join(second, 'master.key'), readFileSync(join(first, 'master.key')), { mode: 0o600 });
    expect(await refusal(url, second)).toBe('joined');
  });

  it('are refused if they are others, without a key in the message', async () => {
    const url = await postgres.create();
    const [key, other] = [newKey(), newKey()];
    const folder = temporaryFolder();
    await enter(url, folder, { TOOLWRIGHT_MASTER_KEY: key });
    const message = await refusal(url, folder, { TOOLWRIGHT_MASTER_KEY: other });
    expect(message).toMatch(
      /uses the master key [\da-f]{16}, and this process has [\da-f]{16}\. Set TOOLWRIGHT_MASTER_KEY/,
    );
    for (const secret of [key, other]) expect(message).not.toContain(secret);
    const foreign = temporaryFolder();
    writeFileSync(join(foreign, 'journal.key'), randomBytes(32));
    expect(await refusal(url, foreign, { TOOLWRIGHT_MASTER_KEY: key })).toMatch(
      /^CONFIG_INVALID: .+journal\.key is another key than that of the cluster .+ Move it away/,
    );
    renameSync(join(foreign, 'journal.key'), join(foreign, 'journal.key.old'));
    expect(await refusal(url, foreign, { TOOLWRIGHT_MASTER_KEY: key })).toBe('joined');
    expect(journalOf(foreign)).toEqual(journalOf(folder));
  });

  it('are rotated: both keys are accepted until the rotation, and the new one alone after it', async () => {
    const url = await postgres.create();
    const folder = temporaryFolder();
    const [old, next] = [newKey(), newKey()];
    await enter(url, folder, { TOOLWRIGHT_MASTER_KEY: old });
    expect(await refusal(url, folder, { TOOLWRIGHT_MASTER_KEY: next })).toContain('toolwright pii rotate');
    const both = { TOOLWRIGHT_MASTER_KEY: next, TOOLWRIGHT_OLD_MASTER_KEYS: old };
    await using database = openPostgres({ url });
    await (await joinCluster({ database, dataDir: folder, env: both })).rotated();
    expect(await refusal(url, folder, { TOOLWRIGHT_MASTER_KEY: old })).toMatch(/^CONFIG_INVALID/);
    const fresh = temporaryFolder();
    expect(await refusal(url, fresh, { TOOLWRIGHT_MASTER_KEY: next })).toBe('joined');
    expect(journalOf(fresh)).toEqual(journalOf(folder));
  });
});
