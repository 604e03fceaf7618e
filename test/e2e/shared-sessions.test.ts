import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { ToolwrightOptions } from '../../packages/core/src/options.ts';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { startS3, type TestS3 } from '../fixtures/s3.ts';
import { failureOf, until } from '../fixtures/server.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/session-host.mjs', import.meta.url));
const USERS = 50;
const ROUNDS = 2;

needsPostgres.describe('sessions on a shared database', () => {
  let postgres: TestPostgres;
  let s3: TestS3;
  let url: string;
  beforeAll(async () => {
    // The processes of a cluster have one master key.
    vi.stubEnv('TOOLWRIGHT_MASTER_KEY', randomBytes(32).toString('hex'));
    [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
    url = await postgres.create();
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    return Promise.all([postgres?.stop(), s3?.stop()]);
  });
  const opened: Toolwright[] = [];
  afterEach(async () => {
    for (const toolwright of opened.splice(0)) await toolwright.close();
  });

  const open = async (options: ToolwrightOptions = {}) => {
    const dataDir = temporaryFolder();
    const settings = { dataDir, sandbox: 'quickjs', store: url, startSandbox: false, ...options } as const;
    const toolwright = await createToolwright(settings);
    opened.push(toolwright);
    const run = async (
      code: string,
      sessionId: string,
      more: { userId?: string; limits?: { resultBytes: number } } = {},
    ) => {
      const result = await toolwright.execute(code, { sessionId, check: false, ...more });
      if (result.status !== 'completed') throw new Error(JSON.stringify(result));
      return result;
    };
    return { ...toolwright, toolwright, dataDir, run };
  };

  it.each(['postgres', 's3'])(
    'are the same on every process, with files, log and large results in %s',
    async (place) => {
      const blobs = place === 's3' ? { blobs: `s3://${s3.bucket}/e2e?endpoint=${s3.endpoint}` } : {};
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
      const [one, other] = [await open(blobs), await open(blobs)];
      const { id } = await one.sessions.create({ userId: 'ada' });
      const user = { userId: 'ada' };
      const large = await one.run(
        `await fs.mkdir('/workspace/sub'); await fs.writeFile('/workspace/sub/a.txt', 'of one'); return 'x'.repeat(50_000)`,
        id,
        user,
      );
      const { value } = await other.run(
        `return [await fs.readFile('/workspace/sub/a.txt', 'utf8'), (await fs.readFile('/session/log.jsonl', 'utf8')).length > 9]`,
        id,
        user,
      );
      expect(value).toEqual(['of one', true]);
      expect((await other.sessions.log(id, user)).map(({ execution }) => execution)).toContain(large.executionId);
      expect((await other.sessions.list(user)).map((session) => session.id)).toEqual([id]);
      const files = await other.sessions.files(id, user);
      expect((await files.list('/workspace', true)).map(({ name }) => name)).toEqual([
        'results',
        `results/${large.executionId}.json`,
        'sub',
        'sub/a.txt',
      ]);
      await files.write('/workspace/sub/b.txt', Buffer.from('of other'), 'replace');
      await files.remove('/workspace/sub/a.txt', { recursive: false, force: false });
      const seen = await one.run(
        `return [await fs.readdir('/workspace/sub'), await fs.readFile('/workspace/sub/b.txt', 'utf8')]`,
        id,
        user,
      );
      expect(seen.value).toEqual([['b.txt'], 'of other']);
      expect(await failureOf(other.sessions.files(id, { userId: 'bob' }))).toMatchObject({ code: 'UNKNOWN_SESSION' });
      await other.sessions.remove(id, user);
      expect(await failureOf(one.sessions.get(id, user))).toMatchObject({ code: 'UNKNOWN_SESSION' });
      expect(existsSync(join(one.dataDir, 'sessions'))).toBe(false);
    },
  );

  it('keep all effects of 20 programs of one session that run on two processes at once', async () => {
    const [one, other] = [await open(), await open()];
    const [{ id }, { id: bystander }] = [await one.sessions.create(), await one.sessions.create()];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? one : other).run(`await fs.appendFile('/workspace/log', '${index};')`, id),
      ),
    );
    const { value } = await one.run(`return fs.readFile('/workspace/log', 'utf8')`, id);
    const effects = String(value).split(';').slice(0, -1).map(Number);
    expect(effects.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect((await other.run(`return fs.readdir('/workspace')`, bystander)).value).toEqual([]);
    expect((await other.sessions.log(id)).length).toBe(21);
  });

  it('keep the files of 50 users apart, whose programs interleave on two processes', async () => {
    const [one, other] = [await open(), await open()];
    const users = await Promise.all(
      Array.from({ length: USERS }, async (_, index) => {
        const userId = `user${index}`;
        return { userId, id: (await one.sessions.create({ userId })).id };
      }),
    );
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        users.map(({ userId, id }, index) =>
          ((index + round) % 2 ? one : other).run(`await fs.appendFile('/workspace/own', '${userId};')`, id, {
            userId,
          }),
        ),
      );
    }
    const contents = await Promise.all(
      users.map(async ({ userId, id }) => {
        const files = await other.sessions.files(id, { userId });
        return (await files.read('/workspace/own', 1_000)).toString();
      }),
    );
    expect(contents).toEqual(users.map(({ userId }) => `${userId};`.repeat(ROUNDS)));
  });

  it('have one workspace for all sessions of a customer, on every process', async () => {
    const [one, other] = [await open(), await open()];
    const create = (userId: string) => one.sessions.create({ userId, customer: 'acme' });
    const [ada, bob] = [await create('ada'), await create('bob')];
    await one.run(`await fs.writeFile('/workspace/shared', 'of ada')`, ada.id, { userId: 'ada' });
    const { value } = await other.run(`return fs.readFile('/workspace/shared', 'utf8')`, bob.id, { userId: 'bob' });
    expect(value).toBe('of ada');
    await one.sessions.remove(ada.id, { userId: 'ada' });
    const { value: after } = await other.run(`return fs.readdir('/workspace')`, bob.id, { userId: 'bob' });
    expect(after).toEqual(['shared']);
  });

  it('share the skills of a user with their versions, at the next use', async () => {
    const [one, other] = [await open(), await open()];
    const draft = (text: string) => ({ name: 'greet', description: 'Greets', code: `export default () => '${text}'` });
    for (const text of ['one', 'two', 'three']) {
      const [from, to] = text === 'two' ? [other, one] : [one, other];
      await from.toolwright.skills('ada').save(draft(text));
      const result = await to.toolwright.execute(`return run_skill('greet', {})`, { userId: 'ada', check: false });
      expect(result).toMatchObject({ status: 'completed', value: text });
    }
    const program = `await fs.writeFile('/skills/add_up.js', '// Adds.\\nexport default (a, b) => a + b')`;
    expect(await one.toolwright.execute(program, { userId: 'ada', check: false })).toMatchObject({
      status: 'completed',
    });
    const library = other.toolwright.skills('ada');
    expect((await library.list()).map(({ name }) => name)).toEqual(['add-up', 'greet']);
    expect((await library.load('greet')).versions.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect((await library.load('greet', { version: 2 })).files.map(({ text }) => text).join()).toContain('two');
    await library.remove('greet');
    expect(await failureOf(one.toolwright.skills('ada').load('greet'))).toMatchObject({ code: 'UNKNOWN_SKILL' });
    expect(await one.toolwright.skills('bob').list()).toEqual([]);
  });

  it('go on within 10 s after the kill of a writer, with the last committed version, and repeat its changes when it is continued', async () => {
    const other = await open();
    const dataDir = temporaryFolder();
    const { id } = await other.sessions.create();
    await other.run(`await fs.writeFile('/workspace/log', 'committed;')`, id);
    const code = `
      await fs.appendFile('/workspace/log', 'a;');
      await fs.writeFile('/workspace/new', 'n');
      console.log('changed');
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      await fs.appendFile('/workspace/log', 'b;');
      return fs.readFile('/workspace/log', 'utf8');`;
    const child = spawn(process.execPath, [PROGRAM, dataDir, url, id, code], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: { id?: string; text?: string }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => void lines.push(JSON.parse(line)));
    await until(() => lines.some(({ text }) => text === 'changed'));
    child.kill('SIGKILL');
    const { value } = await other.run(
      `await fs.appendFile('/workspace/log', 'other;'); return [await fs.readFile('/workspace/log', 'utf8'), await fs.readdir('/workspace')]`,
      id,
    );
    expect(value).toEqual(['committed;other;', ['log']]);
    const next = await open({ dataDir });
    const execution = lines.find((line) => line.id !== undefined)?.id ?? '';
    let resumed: Awaited<ReturnType<typeof next.executions.resume>> | undefined;
    await until(async () => {
      resumed = await next.executions.resume(execution).catch(() => undefined);
      return resumed !== undefined;
    });
    expect(resumed).toMatchObject({ status: 'completed', value: 'committed;other;a;b;' });
    const files = await other.sessions.files(id);
    expect((await files.list('/workspace', false)).map(({ name }) => name)).toEqual(['log', 'new']);
  });

  it('fail a program that lost its right, with a stable code, and commit nothing of it', async () => {
    const [one, other] = [await open(), await open()];
    const { id } = await one.sessions.create();
    await one.run(`await fs.writeFile('/workspace/a', 'old')`, id);
    const steal = `update toolwright.folders set fence = fence + 1, owner = '${randomUUID()}', expires_at = now() where name = 'session/${id}'`;
    const code = `await fs.writeFile('/workspace/a', 'lost'); console.log('changed'); await new Promise((resolve) => setTimeout(resolve, 300)); return 1`;
    const result = await one.toolwright.execute(code, {
      sessionId: id,
      check: false,
      onLog: () => void postgres.sql(url, steal),
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'WORKSPACE_LOST', kind: 'internal' } });
    expect((await other.run(`return fs.readFile('/workspace/a', 'utf8')`, id)).value).toBe('old');
    expect((await one.run(`return fs.readFile('/workspace/a', 'utf8')`, id)).value).toBe('old');
  });

  it('do nothing for programs that use no files, and need no folder', async () => {
    const one = await open();
    const { id } = await one.sessions.create();
    await one.run('return 1', id);
    await one.toolwright.execute(
      `await fs.writeFile('/workspace/a', 'x'); return fs.readFile('/workspace/a', 'utf8')`,
      { check: false },
    );
    expect(postgres.sql(url, `select count(*) from toolwright.folders where name in ('session/${id}')`)).toBe('0');
    expect(postgres.sql(url, `select count(*) from toolwright.folders where name like 'execution/%'`)).toBe('0');
    expect(readdirSync(join(one.dataDir, 'executions')).filter((name) => name.endsWith('.files'))).toEqual([]);
  });

  it('keep large results of executions without a session for every process', async () => {
    const dataDir = temporaryFolder();
    const one = await open({ dataDir });
    const result = await one.toolwright.execute(`return 'y'.repeat(40_000)`, { check: false });
    expect(postgres.sql(url, `select name from toolwright.folders where name like 'execution/%'`)).toBe(
      `execution/${result.executionId}`,
    );
    // The copy of this disk may be gone.
    const folder = join(dataDir, 'executions', `${result.executionId}.files`);
    expect(readFileSync(join(folder, 'results', `${result.executionId}.json`), 'utf8')).toHaveLength(40_002);
    const { rmSync } = await import('node:fs');
    rmSync(folder, { recursive: true });
    const read = await one.toolwright.execute(`return (await execution('${result.executionId}')).length`, {
      check: false,
    });
    expect(read).toMatchObject({ status: 'completed', value: 40_000 });
    await one.executions.remove(result.executionId);
    expect(postgres.sql(url, `select count(*) from toolwright.folders where name like 'execution/%'`)).toBe('0');
  });

  it('expire after retentionDays', async () => {
    const one = await open();
    const [old, used] = [await one.sessions.create(), await one.sessions.create()];
    await one.run(`await fs.writeFile('/workspace/a', 'x')`, old.id);
    postgres.sql(
      url,
      `update toolwright.sessions set last_used_at = now() - interval '11 days' where id = '${old.id}'`,
    );
    const next = await open({ retentionDays: 10 });
    await until(async () => !(await next.sessions.list()).some(({ id }) => id === old.id));
    expect(await next.sessions.get(used.id)).toMatchObject({ id: used.id });
    await until(
      () => postgres.sql(url, `select count(*) from toolwright.folders where name = 'session/${old.id}'`) === '0',
    );
  });
});
