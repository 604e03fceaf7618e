import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientOf, dataFolder, logIn } from '../fixtures/oauth-client.ts';
import { startOAuthIssuer } from '../fixtures/oauth-issuer.ts';
import { until } from '../fixtures/server.ts';

const PROGRAM = `
  const first = await callMCPTool('web__whoami', {});
  return [first, await callMCPTool('web__whoami', {})];
`;

describe('an execution without a login', () => {
  it('is suspended, and goes on by itself after a login in another process of the data folder', async () => {
    const issuer = await startOAuthIssuer();
    const folder = dataFolder();
    await using one = await clientOf(issuer, folder, {}, { waits: { graceMs: 0 } });
    await using other = await clientOf(issuer, folder);
    // The tools are known from the account of another user.
    await logIn(issuer, other, 'bob');
    await one.servers({ load: true });
    const result = await one.execute(PROGRAM, { userId: 'ada' });
    expect(result).toMatchObject({ status: 'suspended', waitingFor: ['authorization'] });
    const [question] = await one.executions.questions(result.executionId, 'ada');
    expect(question).toMatchObject({ kind: 'authorization', call: 1, tool: 'web__whoami', details: { server: 'web' } });
    const { url } = Object(question?.details);
    expect(url).toMatch(new RegExp(`^${issuer.origin}/authorize\\?`));
    using _continuing = one.executions.continueExecutions();
    // The question has the same link as a login that the user starts.
    expect((await one.logins.start('web', { userId: 'ada' })).url).toBe(url);
    await logIn(issuer, other, 'ada');
    await until(async () => (await one.executions.get(result.executionId, 'ada')).status === 'completed');
    const { result: ended } = await one.executions.get(result.executionId, 'ada');
    expect(ended).toMatchObject({ status: 'completed', value: ['ada', 'ada'] });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'latin1');
      for (const secret of issuer.secrets) expect(text).not.toContain(secret);
    }
    await issuer.stop();
  });

  it('goes on in memory after its link was opened, and fails when a person refuses the login', async () => {
    const issuer = await startOAuthIssuer({ isListPublic: true });
    await using toolwright = await clientOf(issuer, dataFolder());
    const opened = await toolwright.execute(PROGRAM, {
      userId: 'ada',
      onApproval: async ({ kind, details }) => {
        expect(kind).toBe('authorization');
        await fetch(await issuer.browse(Object(details).url, 'ada'));
        return undefined;
      },
    });
    expect(opened).toMatchObject({ status: 'completed', value: ['ada', 'ada'] });
    const refused = await toolwright.execute(PROGRAM, {
      userId: 'bob',
      onApproval: () => ({ action: 'fail', note: 'Not today.' }),
    });
    expect(refused).toMatchObject({
      status: 'failed',
      error: { message: 'web requires a login for web__whoami. Not today. Nothing was sent.' },
    });
    issuer.options = { ...issuer.options, answers: { '/.well-known/oauth-authorization-server': { status: 500 } } };
    const impossible = await toolwright.execute(PROGRAM, { userId: 'carol' });
    expect(impossible).toMatchObject({ status: 'failed', error: { code: 'UPSTREAM_PROTOCOL' } });
    await issuer.stop();
  });

  it('waits for the first login to a server whose tools nobody has listed, and asks the policy afterwards', async () => {
    const issuer = await startOAuthIssuer();
    const folder = dataFolder();
    const rules = [{ tools: 'web__admin', action: 'deny' as const }];
    const options = { waits: { graceMs: 0 }, policy: { rules } };
    await using one = await clientOf(issuer, folder, {}, options);
    const program = `
      const denied = await callMCPTool('web__admin', {}).catch(({ code }) => code);
      return [denied, await callMCPTool('web__whoami', {})]`;
    const result = await one.execute(program, { userId: 'ada' });
    expect(result).toMatchObject({ status: 'suspended', waitingFor: ['authorization'] });
    const [question] = await one.executions.questions(result.executionId, 'ada');
    expect(question).toMatchObject({ kind: 'authorization', call: 1, tool: 'web__admin', details: { server: 'web' } });
    // Another process continues it without a login: the question stays the same.
    await using other = await clientOf(issuer, folder, {}, options);
    expect(await other.executions.resume(result.executionId, { userId: 'ada' })).toMatchObject({ status: 'suspended' });
    expect(await other.executions.questions(result.executionId, 'ada')).toEqual([question]);
    using _continuing = one.executions.continueExecutions();
    await logIn(issuer, other, 'ada');
    await until(async () => (await one.executions.get(result.executionId, 'ada')).status === 'completed');
    const { result: ended } = await one.executions.get(result.executionId, 'ada');
    expect(ended).toMatchObject({ status: 'completed', value: ['POLICY_DENIED', 'ada'] });
    expect(await one.executions.replay(result.executionId, 'ada')).toMatchObject({ status: 'identical' });
    await issuer.stop();
  });
});
