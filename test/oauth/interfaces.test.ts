import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { startApi } from '../fixtures/http-server.ts';
import { startOAuthIssuer } from '../fixtures/oauth-issuer.ts';

const issuer = await startOAuthIssuer();
afterAll(() => issuer.stop());

describe('logins by commands', () => {
  const desk = openDesk({ web: { url: issuer.url } });

  /** Starts a login, and returns its link and its process. */
  async function startLogin() {
    const child = desk.start('servers', 'login', 'web', '--no-browser');
    const lines: string[] = [];
    child.stderr?.setEncoding('utf8');
    const link = new Promise<string>((resolve) => {
      child.stderr?.on('data', (text: string) => {
        lines.push(text);
        const [, found] = /(http\S+\/authorize\?\S+)\n/.exec(lines.join('')) ?? [];
        if (found) resolve(found);
      });
    });
    const out = createInterface({ input: child.stdout ?? process.stdin });
    const printed: string[] = [];
    out.on('line', (line) => printed.push(line));
    return {
      child,
      link: await link,
      ended: once(child, 'close').then(([code]) => ({ code, printed, err: lines.join('') })),
    };
  }

  it('logs in by the callback or the entered address, shows the state, and logs out', async () => {
    const before = await desk.run(['servers']);
    expect(before.out).toBe(
      'web  authorization required: web requires a login: nobody has logged in. Run: toolwright servers login web\n',
    );
    const first = await startLogin();
    expect(await (await fetch(await issuer.browse(first.link, 'ada'))).text()).toContain('You are logged in to web.');
    expect(await first.ended).toMatchObject({ code: 0, printed: ['Logged in to web.'] });
    expect((await desk.run(['servers'])).out).toBe('web  ready, 2 tools, logged in\n');
    // Two processes renew an expired token once.
    issuer.expireAll();
    const program = ['run', '-e', "return await callMCPTool('web__whoami', {})"];
    const runs = await Promise.all([desk.run(program), desk.run(program)]);
    expect(runs.map(({ out }) => out)).toEqual(['ada\n', 'ada\n']);
    expect(issuer.counts.refresh_token).toBe(1);
    const findings = JSON.parse((await desk.run(['doctor', '--json'])).out).findings as {
      subject: string;
      text: string;
    }[];
    expect(findings.find(({ subject }) => subject === 'logins')?.text).toBe(
      '1 to servers, sealed with a key in the data folder',
    );
    expect((await desk.run(['servers', 'logout', 'web'])).out).toBe('Logged out of web. Its tokens are revoked.\n');
    expect((await desk.run(['servers', 'logout', 'web'])).out).toBe('There was no login to web.\n');
    const second = await startLogin();
    second.child.stdin?.write(`${await issuer.browse(second.link, 'bob')}\n`);
    expect(await second.ended).toMatchObject({ code: 0, printed: ['Logged in to web.'] });
    expect(issuer.counts['/register']).toBe(1);
    const wrong = await desk.run(['servers', 'login', 'other']);
    expect([wrong.code, wrong.err]).toEqual([2, 'The server "other" has no logins. Servers with logins: web.\n']);
  });
});

describe('logins over HTTP', () => {
  it('gives each user a link, and finishes the login after a confirmation', async () => {
    const { url, toolwright, close } = await startApi({}, { mcpServers: { web: { url: issuer.url } } });
    toolwright.logins.useCallback(`${url}/oauth/callback`);
    const ask = async (method: string, path: string) => (await fetch(`${url}${path}`, { method })).json();
    const { url: link } = (await ask('POST', '/servers/web/login?userId=ada')) as { url: string };
    const callback = await issuer.browse(link, 'ada');
    const page = await fetch(callback);
    const html = await page.text();
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('Do you want to connect web to the Toolwright account of &#34;ada&#34;?');
    expect(await ask('GET', '/logins?userId=ada')).toEqual({ logins: [{ server: 'web', state: 'none' }] });
    const confirm = () => fetch(`${url}/oauth/callback`, { method: 'POST', body: new URL(callback).searchParams });
    expect(await (await confirm()).text()).toContain('You are logged in to web.');
    const again = await confirm();
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('This login is unknown')]);
    expect((await fetch(`${url}/oauth/callback?state=x&code=y`)).status).toBe(400);
    expect(await ask('GET', '/logins?userId=ada')).toEqual({ logins: [{ server: 'web', state: 'authorized' }] });
    expect(await ask('GET', '/logins?userId=bob')).toEqual({ logins: [{ server: 'web', state: 'none' }] });
    const answer = await fetch(`${url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: "return await callMCPTool('web__whoami', {})", userId: 'ada' }),
    });
    expect(await answer.json()).toMatchObject({ status: 'completed', value: 'ada' });
    expect(await ask('DELETE', '/servers/web/login?userId=ada')).toEqual({ isRevoked: true });
    await close();
  });
});
