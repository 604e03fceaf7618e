import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, dataFolder, logIn } from '../fixtures/oauth-client.ts';
import { type IssuerOptions, type OAuthIssuer, startOAuthIssuer } from '../fixtures/oauth-issuer.ts';
import { until } from '../fixtures/server.ts';

const started: OAuthIssuer[] = [];
afterEach(() => Promise.all(started.splice(0).map((issuer) => issuer.stop())));

async function issuerWith(options: IssuerOptions = {}): Promise<OAuthIssuer> {
  const issuer = await startOAuthIssuer(options);
  started.push(issuer);
  return issuer;
}

const READ = "return await read_resource('me://profile', { server: 'web' })";

describe('resources of a server with logins', () => {
  it('are those of the user who asks', async () => {
    const issuer = await issuerWith();
    await using toolwright = await clientOf(issuer, dataFolder());
    await logIn(issuer, toolwright, 'ada');
    await logIn(issuer, toolwright, 'bob');
    const program = (other: string) => `
      const uris = (await list_resources({ server: 'web' })).map((entry) => entry.uri ?? entry.uriTemplate);
      const refused = await read_resource('notes://${other}', { server: 'web' }).catch(({ code }) => code);
      const found = await read_resource(uris.find((uri) => uri.startsWith('notes://')));
      return [uris, await read_resource('me://profile', { server: 'web' }), found, refused]`;
    const asked = [...Array(4).keys()].flatMap(() => ['ada', 'bob']);
    const results = await Promise.all(
      asked.map((userId) => toolwright.execute(program(userId === 'ada' ? 'bob' : 'ada'), { userId })),
    );
    const expected = (user: string) => [
      ['me://profile', `notes://${user}`, 'notes://{owner}'],
      ...[`profile of ${user}`, `note of ${user}`, 'TOOL_FAILED'],
    ];
    expect(results.map((result) => ('value' in result ? result.value : result))).toEqual(asked.map(expected));
    const { context } = toolwright;
    for (const userId of ['ada', 'bob']) {
      const [part] = await context.read('web', 'me://profile', { userId });
      expect(part).toMatchObject({ text: `profile of ${userId}` });
      const [web] = await context.resources({ userId });
      expect(web?.resources.map(({ uri }) => uri)).toContain(`notes://${userId}`);
    }
    await expect(context.read('web', 'me://profile', { userId: 'eve' })).rejects.toMatchObject({
      code: 'AUTHORIZATION_REQUIRED',
    });
    const changes: string[] = [];
    using _end = { [Symbol.dispose]: context.onChanged((list) => changes.push(list)) };
    await logIn(issuer, toolwright, 'eve');
    await until(() => changes.includes('resources') && changes.includes('prompts'));
    expect(await context.resources({ userId: 'eve' })).toMatchObject([{ resources: [{}, { uri: 'notes://eve' }] }]);
  });

  it('suspend a program without a login, which goes on after the login', async () => {
    const issuer = await issuerWith();
    const folder = dataFolder();
    await using one = await clientOf(issuer, folder, {}, { waits: { graceMs: 0 } });
    const result = await one.execute(READ, { userId: 'ada' });
    expect(result).toMatchObject({ status: 'suspended', waitingFor: ['authorization'] });
    const [question] = await one.executions.questions(result.executionId, 'ada');
    expect(question).toMatchObject({ kind: 'authorization', tool: 'web__resources/read', details: { server: 'web' } });
    using _continuing = one.executions.continueExecutions();
    await using other = await clientOf(issuer, folder);
    await logIn(issuer, other, 'ada');
    await until(async () => (await one.executions.get(result.executionId, 'ada')).status === 'completed');
    const { result: ended } = await one.executions.get(result.executionId, 'ada');
    expect(ended).toMatchObject({ status: 'completed', value: 'profile of ada' });
  });
});
