import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect } from 'vitest';
import { missingExtension, useExtension } from '../fixtures/extension.ts';
import { needs } from '../fixtures/needs.ts';
import { until } from '../fixtures/server.ts';
import { changeSetting, createPanel, editor, type StandInPanel } from '../fixtures/vscode.ts';

interface Received {
  readonly is: string;
  readonly id: number;
  readonly status: number;
  readonly body: ArrayBuffer;
  readonly reason: string;
  readonly type: string;
  readonly data: string;
}

const built = needs('build', missingExtension);

built.describe('the host of the extension', () => {
  const extension = useExtension();
  beforeEach(() => extension.use(extension.keyed));
  let lastId = 0;
  const messagesOf = (panel: StandInPanel, id: number) =>
    (panel.received as readonly Received[]).filter((message) => message.id === id);
  /** Sends a request of a page, and returns the answer. */
  const request = async (panel: StandInPanel, path: string, more: object = {}) => {
    lastId += 1;
    const id = lastId;
    panel.send({ is: 'request', id, method: 'GET', path, headers: {}, ...more });
    await until(() => messagesOf(panel, id).length > 0);
    const [answer] = messagesOf(panel, id);
    if (answer?.is !== 'response') return [answer?.is, answer?.reason];
    return [answer.status, JSON.parse(new TextDecoder().decode(answer.body) || 'null')];
  };
  const follow = async (panel: StandInPanel) => {
    lastId += 1;
    panel.send({ is: 'follow', id: lastId, path: 'executions/events' });
    const id = lastId;
    await until(() => messagesOf(panel, id).some(({ is }) => is === 'opened'));
    return id;
  };

  built.it('keeps a valid key as a secret of its server, and no page receives it', async () => {
    const key = await extension.createKey();
    const panel = extension.open('executions');
    expect(await request(panel, 'dashboard/session')).toMatchObject([401, { code: 'UNAUTHENTICATED' }]);
    await extension.signIn('tw_wrong');
    await extension.signIn('line\nbreak');
    expect([editor.secrets.size, editor.messages]).toEqual([
      0,
      Array(2).fill('Toolwright: This key is not valid, or it has expired.'),
    ]);
    await extension.signIn(key);
    expect([...editor.secrets]).toEqual([[`toolwright.key ${extension.keyed.url}/`, key]]);
    expect(await request(panel, 'dashboard/session')).toMatchObject([200, { user: 'ann', by: 'key' }]);
    // A header of the page replaces no credential.
    const headers = { authorization: 'Bearer tw_other', 'x-api-key': 'tw_other', cookie: 'a=b', host: 'evil.example' };
    expect(await request(panel, 'dashboard/session', { headers })).toMatchObject([200, { user: 'ann' }]);
    const known = JSON.stringify(panel.received) + panel.webview.html + editor.messages.join();
    expect(known).not.toContain(key);
  });

  built.it('signs out: the key is deleted, and streams end', async () => {
    await extension.signIn(await extension.createKey());
    const panel = extension.open('executions');
    const id = await follow(panel);
    await extension.command('signOut');
    await until(() => editor.messages.some((text) => text.includes('signed out')));
    expect(editor.secrets.size).toBe(0);
    expect(await request(panel, 'executions?limit=1')).toMatchObject([401, {}]);
    const before = messagesOf(panel, id).length;
    await extension.run('return 1');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(messagesOf(panel, id)).toHaveLength(before);
  });

  built.it('another server gets no key', async () => {
    await extension.signIn(await extension.createKey());
    const panel = extension.open('executions');
    const seen: (string | undefined)[] = [];
    const other = createServer((incoming, outgoing) => {
      seen.push(incoming.headers.authorization);
      outgoing.writeHead(incoming.url === '/moved' ? 302 : 200, { location: `${extension.keyed.url}/executions` });
      outgoing.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    changeSetting('toolwright.serverUrl', `http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    expect(await request(panel, 'executions')).toEqual([200, {}]);
    // Nor does a redirect lead elsewhere.
    expect(await request(panel, 'moved')).toMatchObject(['failed', expect.any(String)]);
    expect(new Set(seen)).toEqual(new Set([undefined]));
    other.closeAllConnections();
    other.close();
  });

  built.it('refuses requests that are not below the server, and addresses that are no web pages', async () => {
    await extension.signIn(await extension.createKey());
    const panel = extension.open('tools');
    for (const path of ['https://evil.example/', '//evil.example/', '/executions', 'a/..%2f..%2fb'])
      expect(await request(panel, path)).toEqual(['failed', expect.stringContaining('not below the URL')]);
    panel.send({ is: 'open', url: 'file:///bin/sh' });
    panel.send({ is: 'open', url: 'vscode://any.extension/run' });
    panel.send({ is: 'open', url: 'https://issuer.example/login' });
    expect(editor.opened).toEqual(['https://issuer.example/login']);
    panel.send({ is: 'request', id: 9e15, method: 'CONNECT', path: 'executions', headers: {} });
    panel.send(['ready']);
    expect(messagesOf(panel, 9e15)).toEqual([]);
  });

  built.it('passes events until the page cancels, hides, or is loaded again', async () => {
    await extension.signIn(await extension.createKey());
    const panel = extension.open('executions');
    const [cancelled, hidden] = [await follow(panel), await follow(panel)];
    const executionId = await extension.run('return "through the host"');
    const hasEvent = (id: number) => messagesOf(panel, id).some(({ data = '' }) => data.includes(executionId));
    await until(() => hasEvent(cancelled) && hasEvent(hidden));
    panel.send({ is: 'cancel', id: cancelled });
    const counts = () => [cancelled, hidden].map((id) => messagesOf(panel, id).length);
    const [before] = counts();
    const afterCancel = await extension.run('return 2');
    await until(() => messagesOf(panel, hidden).some(({ data = '' }) => data.includes(afterCancel)));
    expect(counts()[0]).toBe(before);
    panel.setVisible(false);
    const fresh = await follow(panel);
    const last = counts();
    const afterHide = await extension.run('return 3');
    await until(() => messagesOf(panel, fresh).some(({ data = '' }) => data.includes(afterHide)));
    panel.send({ is: 'ready' });
    const ended = messagesOf(panel, fresh).length;
    await extension.run('return 4');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([counts(), messagesOf(panel, fresh).length]).toEqual([last, ended]);
    panel.setVisible(true);
  });

  built.it('reports a stream that the server refuses, and a server that cannot be reached', async () => {
    const panel = extension.open('executions');
    panel.send({ is: 'follow', id: 8e15, path: 'executions/events' });
    await until(() => messagesOf(panel, 8e15).length > 0);
    expect(messagesOf(panel, 8e15)).toEqual([{ is: 'closed', id: 8e15 }]);
    changeSetting('toolwright.serverUrl', 'http://127.0.0.1:9');
    expect(await request(panel, 'executions')).toEqual(['failed', expect.any(String)]);
    await until(() => editor.items[0]?.text === '$(debug-disconnect) Toolwright');
  });

  built.it('shows the number of open approvals, and follows it', async () => {
    const [item] = editor.items;
    await until(() => item?.text === '$(key) Toolwright');
    expect(item?.command).toBe('toolwright.signIn');
    await extension.signIn(await extension.createKey());
    await until(() => item?.text === '$(check) 0');
    const id = await extension.run(`return await callMCPTool('bank__refund', { to: 'ada', amount: 4 });`);
    await until(() => item?.text === '$(check) 1');
    expect([item?.tooltip, item?.command]).toEqual(['1 call waits for approval', 'toolwright.openApprovals']);
    const panel = extension.open('approvals');
    const decision = JSON.stringify({ action: 'deny', note: 'not today' });
    const headers = { 'content-type': 'application/json' };
    expect(
      await request(panel, `executions/${id}/decisions`, { method: 'POST', headers, body: decision }),
    ).toMatchObject([200, {}]);
    await until(() => item?.text === '$(check) 0');
  });

  built.it('saves files where the person chooses, without folders in their names', async () => {
    await extension.signIn(await extension.createKey());
    const panel = extension.open('executions');
    const session = await extension.keyed.toolwright.sessions.create({ userId: 'ann' });
    const path = `sessions/${session.id}/files/report.csv`;
    const body = new TextEncoder().encode('month,open\nmay,2\n').buffer;
    const headers = { 'content-type': 'application/octet-stream' };
    expect(await request(panel, path, { method: 'PUT', headers, body })).toMatchObject([201, {}]);
    editor.saveTo = '/chosen';
    panel.send({ is: 'download', path, name: '../report.csv' });
    panel.send({ is: 'save', name: 'usage.csv', text: 'a,b\n' });
    await until(() => editor.written.size === 2);
    expect(Object.fromEntries(editor.written)).toEqual({
      '/chosen/report.csv': 'month,open\nmay,2\n',
      '/chosen/usage.csv': 'a,b\n',
    });
    panel.send({ is: 'download', path: `${path}.missing`, name: 'x' });
    await until(() => editor.messages.some((text) => text.includes('the server answered 404')));
    editor.saveTo = undefined;
    panel.send({ is: 'download', path: 'https://evil.example/x', name: 'x' });
    expect(editor.written.size).toBe(2);
  });

  built.it('a server without keys needs no login', async () => {
    extension.use(extension.local);
    await extension.signIn('tw_any');
    expect([editor.secrets.size, editor.messages]).toEqual([0, [`Toolwright: ${extension.local.url}/ needs no key.`]]);
    expect(await request(extension.open('executions'), 'dashboard/session')).toMatchObject([200, { by: 'local' }]);
  });

  built.it('fills panels that the editor restores, and opens each screen once', async () => {
    const panel = createPanel('toolwright.approvals');
    await editor.serializers.get('toolwright.approvals')?.deserializeWebviewPanel(panel, undefined);
    expect(panel.webview.html).toContain('<meta name="toolwright-path" content="/ui/approvals">');
    expect(extension.open('approvals')).toBe(panel);
    expect(panel.received.at(-1)).toEqual({ is: 'navigate', path: '/ui/approvals' });
    panel.dispose();
    expect(extension.open('approvals')).not.toBe(panel);
  });
});
