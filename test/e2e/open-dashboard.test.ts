import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

/** Programs that open a link, on Linux and on macOS. */
const OPENERS = ['xdg-open', 'open'];

test('"serve" prints the address of the dashboard, and "dashboard" opens it in the browser with a link that logs in once', async () => {
  const desk = openDesk({});
  mkdirSync(join(desk.folder, 'bin'));
  const opened = join(desk.folder, 'opened');
  for (const name of OPENERS) {
    // Moved when it is complete, so that the test never reads a part of it.
    const path = desk.write(
      `bin/${name}`,
      `#!/bin/sh\nprintf %s "$*" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
    );
    chmodSync(path, 0o755);
  }
  Object.assign(desk.env, { PATH: `${join(desk.folder, 'bin')}:${desk.env.PATH}`, DISPLAY: ':0' });
  const server = desk.start('serve', '--port', '0');
  try {
    const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
    let url = '';
    for await (const line of lines) {
      url =
        /^The dashboard is at (http:\/\/127\.0\.0\.1:\d+)\. Run "toolwright dashboard" to open it$/.exec(line)?.[1] ??
        '';
      if (url !== '') break;
    }
    expect((await ask(`${url}/`)).headers.get('content-type')).toContain('text/html');

    const { code, out, err } = await desk.run(['dashboard', '--url', url]);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('The link works once');
    await until(() => existsSync(opened));
    const link = new URL(readFileSync(opened, 'utf8'));
    const token = /^#token=([\w-]{43})$/.exec(link.hash)?.[1];
    expect([link.origin, typeof token]).toEqual([url, 'string']);
    const headers = { origin: url, 'x-toolwright-dashboard': '1' };
    const logIn = () => ask(`${url}/dashboard/session`, { json: { token }, headers });
    expect((await logIn()).body).toMatchObject({ by: 'link', roles: expect.arrayContaining(['admin']) });
    expect((await logIn()).status).toBe(401);

    // Without a screen, the link is printed. The server is found by its data folder.
    desk.env.DISPLAY = '';
    const printed = await desk.run(['dashboard']);
    expect(printed.out).toMatch(new RegExp(`^${url}/#token=[\\w-]{43}\n$`));

    const nobody = await desk.run(['dashboard', '--url', 'http://localhost:1']);
    expect([nobody.code, nobody.out]).toEqual([2, '']);
    expect(nobody.err).toMatch(/^No Toolwright answers at http:\/\/localhost:1\. Start it with "toolwright serve"/);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  expect(existsSync(join(desk.folder, 'state/toolwright/server.json'))).toBe(false);
});
