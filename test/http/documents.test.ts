import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { transform } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { startApi } from '../fixtures/http-server.ts';
import { needs } from '../fixtures/needs.ts';

const page = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(bash|typescript)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', code = ''], index) => ({
    name: `${language} block ${index + 1}`,
    language,
    code,
  }),
);
const server = await startApi();
afterAll(() => server.close());

/** Runs a program in a separate process, and returns its output. */
async function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, TOOLWRIGHT: server.url };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect({ code, out, err }).toMatchObject({ code: 0 });
  return out;
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const needsCurl = needs('curl', hasCurl ? undefined : 'curl is not installed');

for (const { name, language, code } of blocks) {
  const title = `${name} of docs/http-api.md works`;
  if (language === 'bash')
    needsCurl.it(title, async () => {
      expect(await run('bash', '-euo', 'pipefail', '-c', code)).not.toBe('');
    });
  else
    test(title, async () => {
      const file = join(temporaryFolder(), 'block.mjs');
      writeFileSync(file, (await transform(code, { loader: 'ts', format: 'esm', target: 'node20' })).code);
      await run(process.execPath, file);
    });
}

test('the page has blocks in both languages', () => {
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['bash', 'typescript']));
});
