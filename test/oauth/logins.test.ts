import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { clientOf, connectorOf, dataFolder, logIn } from '../fixtures/oauth-client.ts';
import { type IssuerOptions, type OAuthIssuer, startOAuthIssuer } from '../fixtures/oauth-issuer.ts';
import { failureOf } from '../fixtures/server.ts';
import { IS_SHORT } from '../fixtures/short-form.ts';

const started: OAuthIssuer[] = [];
afterEach(() => Promise.all(started.splice(0).map((issuer) => issuer.stop())));

async function issuerWith(options: IssuerOptions = {}): Promise<OAuthIssuer> {
  const issuer = await startOAuthIssuer(options);
  started.push(issuer);
  return issuer;
}

describe('logins to servers', () => {
  it('lists a server as one that requires a login, and uses it after the login', async () => {
    const issuer = await issuerWith();
    const folder = dataFolder();
    await using toolwright = await clientOf(issuer, folder, { headers: { 'x-own': 'own-s3cr3t' } });
    const [before] = await toolwright.servers({ load: true });
    expect(before?.status).toMatchObject({
      state: 'authorization required',
      problem: 'web requires a login: nobody has logged in. Run: toolwright servers login web',
    });
    expect(await logIn(issuer, toolwright, 'ada')).toContain('You are logged in to web.');
    const [after] = await toolwright.servers({ load: true });
    expect(after?.status.state).toBe('ready');
    expect(await toolwright.logins.list({ userId: 'ada' })).toEqual([{ server: 'web', state: 'authorized' }]);
    const program = "return await callMCPTool('web__whoami', {})";
    expect(await toolwright.execute(program, { userId: 'ada' })).toMatchObject({ status: 'completed', value: 'ada' });
    expect(issuer.seenHeaders.join()).not.toContain('own-s3cr3t');
    // No token is in any file as plain text.
    const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(texts.length).toBeGreaterThan(3);
    for (const secret of [...issuer.secrets, 'ada\u0000'])
      expect(texts.some((text) => text.includes(secret))).toBe(false);
  });

  it('finishes a login once, for its own user', async () => {
    const issuer = await issuerWith();
    await using web = connectorOf(issuer, memoryStore());
    const { url } = await web.logins.start('web', { userId: 'ada', redirectUrl: 'http://127.0.0.1:9/callback' });
    expect(await web.logins.start('web', { userId: 'ada', redirectUrl: 'http://127.0.0.1:9/callback' })).toMatchObject({
      url,
    });
    const { searchParams } = new URL(await issuer.browse(url, 'ada'));
    const unknown = [
      'INVALID_ARGUMENTS',
      'This login is unknown, finished already, or older than 10 minutes. Start it again.',
    ];
    const foreign = await failureOf(web.logins.finish(searchParams, { userId: 'bob' }));
    expect([foreign.code, foreign.message]).toEqual(unknown);
    expect(await web.logins.finish(searchParams, { userId: 'ada' })).toEqual({ server: 'web', userId: 'ada' });
    const repeated = await failureOf(web.logins.finish(searchParams, { userId: 'ada' }));
    expect([repeated.code, repeated.message]).toEqual(unknown);
    const invented = await failureOf(web.logins.finish(new URLSearchParams({ code: 'x', state: 'y' })));
    expect([invented.code, invented.message]).toEqual(unknown);
  });

  it('renews an expired token once for parallel calls of two processes', async () => {
    // Every second answer 401 comes when the token is renewed already.
    const issuer = await issuerWith({ lateMs: 500 });
    const store = memoryStore();
    await using web = connectorOf(issuer, store);
    await using other = connectorOf(issuer, store);
    await logIn(issuer, web, 'ada');
    expect(await web.call('whoami', {}, { userId: 'ada' })).toBe('ada');
    expect(await other.call('whoami', {}, { userId: 'ada' })).toBe('ada');
    issuer.expireAll();
    const calls = [web, web, web, web, web, other, other, other].map((each) =>
      each.call('whoami', {}, { userId: 'ada' }),
    );
    expect(await Promise.all(calls)).toEqual(Array(8).fill('ada'));
    expect(issuer.counts.refresh_token).toBe(1);
  });

  it('renews a token before it expires', async () => {
    const issuer = await issuerWith({ lifetimeS: 2 });
    await using web = connectorOf(issuer, memoryStore());
    await logIn(issuer, web, 'ada');
    expect(await web.call('whoami', {}, { userId: 'ada' })).toBe('ada');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const before = issuer.counts['/mcp'] ?? 0;
    expect(await web.call('whoami', {}, { userId: 'ada' })).toBe('ada');
    // One request, without an answer 401 before.
    expect((issuer.counts['/mcp'] ?? 0) - before).toBe(1);
    expect(issuer.counts.refresh_token).toBe(1);
  });

  it('asks for a new login when the issuer refuses to renew, and keeps the tools', async () => {
    const issuer = await issuerWith();
    const store = memoryStore();
    {
      await using web = connectorOf(issuer, store);
      await logIn(issuer, web, 'ada');
      expect((await web.tools()).map(({ name }) => name)).toEqual(['whoami', 'admin']);
      expect(await web.logins.logOut('web', { userId: 'ada' })).toEqual({ wasIn: true, isRevoked: true });
      expect(issuer.counts['/revoke']).toBe(2);
      expect(await web.logins.logOut('web', { userId: 'ada' })).toEqual({ wasIn: false, isRevoked: false });
      const failure = await failureOf(web.call('whoami', {}, { userId: 'ada' }));
      expect([failure.code, failure.message, failure.details]).toEqual([
        'AUTHORIZATION_REQUIRED',
        'web requires a login: nobody has logged in. Run: toolwright servers login web',
        { server: 'web' },
      ]);
    }
    await using web = connectorOf(issuer, store);
    expect((await web.tools()).map(({ name }) => name)).toEqual(['whoami', 'admin']);
    expect(web.status().state).toBe('authorization required');
    await logIn(issuer, web, 'ada');
    issuer.options = {
      answers: { '/token': { status: 400, body: '{"error":"invalid_grant","error_description":"s3cr3t"}' } },
    };
    issuer.expireAll();
    const failure = await failureOf(web.call('whoami', {}, { userId: 'ada' }));
    expect(failure.message).toBe('web requires a login: the login has expired. Run: toolwright servers login web');
    expect(await web.logins.list({ userId: 'ada' })).toEqual([{ server: 'web', state: 'none' }]);
  });

  it('keeps the login when the issuer is down', async () => {
    const issuer = await issuerWith();
    await using web = connectorOf(issuer, memoryStore());
    await logIn(issuer, web, 'ada');
    issuer.options = { answers: { '/token': { status: 503, body: 's3cr3t' } } };
    issuer.expireAll();
    const failure = await failureOf(web.call('whoami', {}, { userId: 'ada' }));
    expect([failure.code, failure.message]).toEqual([
      'UPSTREAM_PROTOCOL',
      `Toolwright cannot log in to web: ${issuer.origin}/token answered HTTP 503 without a reason of OAuth. Log in again. If it happens again, report it.`,
    ]);
    issuer.options = {};
    expect(await web.call('whoami', {}, { userId: 'ada' })).toBe('ada');
  });

  it('asks for more scopes when a call needs them, at most three times', async () => {
    const issuer = await issuerWith();
    await using web = connectorOf(issuer, memoryStore());
    await logIn(issuer, web, 'ada');
    const failure = await failureOf(web.call('admin', {}, { userId: 'ada' }));
    expect([failure.code, failure.message]).toEqual([
      'AUTHORIZATION_REQUIRED',
      'web requires a login: the call needs more permissions (tools admin). Run: toolwright servers login web',
    ]);
    const { url } = await web.logins.start('web', { userId: 'ada' });
    expect(new URL(url).searchParams.get('scope')).toBe('tools admin');
    await fetch(await issuer.browse(url, 'ada'));
    expect(await web.call('admin', {}, { userId: 'ada' })).toBe('ada');
    issuer.options = { grantedScope: 'tools' };
    const codes: string[] = [];
    for (let login = 0; login < 4; login++) {
      await logIn(issuer, web, 'ada');
      codes.push((await failureOf(web.call('admin', {}, { userId: 'ada' }))).code);
    }
    expect(codes).toEqual(['AUTHORIZATION_REQUIRED', 'ACCESS_DENIED', 'ACCESS_DENIED', 'ACCESS_DENIED']);
  });

  it('gives each of 50 users their own token in interleaved calls', async () => {
    const issuer = await issuerWith();
    await using web = connectorOf(issuer, memoryStore());
    const users = Array.from({ length: 50 }, (_, index) => `user-${index}`);
    await Promise.all(users.map((user) => logIn(issuer, web, user)));
    const calls = Array.from({ length: IS_SHORT ? 8 : 20 }, () => users).flat();
    let answered = 0;
    const answers = calls.map(async (userId) => {
      const answer = await web.call('whoami', {}, { userId });
      // In the middle of the calls, all tokens expire.
      if (++answered === 150) issuer.expireAll();
      return answer;
    });
    expect(await Promise.all(answers)).toEqual(calls);
    // Each token is renewed once, whenever its answers 401 come.
    expect(issuer.counts.refresh_token).toBeGreaterThan(0);
    expect(issuer.counts.refresh_token).toBeLessThanOrEqual(users.length);
    const nobody = await failureOf(web.call('whoami', {}, { userId: 'mallory' }));
    expect(nobody.code).toBe('AUTHORIZATION_REQUIRED');
  });

  it('uses a server with public tools without a login until a call requires one', async () => {
    const issuer = await issuerWith({ isListPublic: true });
    await using web = connectorOf(issuer, memoryStore());
    expect((await web.tools()).length).toBe(2);
    expect(web.status().state).toBe('ready');
    expect((await failureOf(web.call('whoami', {}, { userId: 'ada' }))).code).toBe('AUTHORIZATION_REQUIRED');
    await logIn(issuer, web, 'ada');
    expect(await web.call('whoami', {}, { userId: 'ada' })).toBe('ada');
  });

  it('logs in itself with a secret or a key', async () => {
    const issuer = await issuerWith({ clients: { robot: 'r0b0t-s3cr3t' }, lifetimeS: 2 });
    const oauth = { grant: 'client_credentials', clientId: 'robot', clientSecret: 'r0b0t-s3cr3t' } as const;
    await using web = connectorOf(issuer, memoryStore(), { oauth });
    expect(await web.call('whoami', {}, { userId: 'ada' })).toBe('robot');
    expect(await web.call('admin', {})).toBe('robot');
    const wrong = connectorOf(issuer, memoryStore(), { oauth: { ...oauth, clientSecret: 'wr0ng-s3cr3t' } });
    const failure = await failureOf(wrong.call('whoami', {}));
    expect(failure.message).toBe(
      `Toolwright cannot log in to web: ${issuer.origin}/token answered with the error invalid_client. Check mcpServers.web.oauth.clientId and its secret or key.`,
    );
    await wrong[Symbol.asyncDispose]();
    const { exportPKCS8, generateKeyPair } = await import('jose');
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const keyed = {
      grant: 'client_credentials',
      clientId: 'robot',
      privateKey: await exportPKCS8(privateKey),
    } as const;
    await using signed = connectorOf(issuer, memoryStore(), { oauth: keyed });
    expect(await signed.call('whoami', {})).toBe('signed');
    const person = await failureOf(signed.logins.start('web'));
    expect(person.message).toBe('web needs no login: mcpServers.web.oauth has the grant client_credentials.');
  });
});
