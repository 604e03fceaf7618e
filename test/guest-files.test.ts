import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createToolwright } from '../packages/core/src/toolwright.ts';
import { temporaryFolder } from './fixtures/bridge-host.ts';

/** Names that no guest may create. */
const REFUSED = ['CON', 'nul.txt', 'a.', 'a ', 'a\u202etxt', '\ud800', 'a\0b', 'x'.repeat(256), '\u200b', 'README.md'];
/** Names that a guest may create. */
const FINE = ['2026-11-22T03:38.json', 'größe 変数 😀', '.env', 'cafe\u0301'];
const LINKED = ['link/secret', 'deep/link/secret', 'deep/../link/secret', 'file'];
const READ_ONLY = ['/session/log.md', '/session/new', '/servers/new', '/etc/new', '/workspace/../session/log.md'];

const programs = {
  typescript: `
const [refused, fine, linked, readOnly] = ${JSON.stringify([REFUSED, FINE, LINKED, READ_ONLY])};
const made = [], read = [];
for (const name of [...refused, ...fine, ...linked, ...readOnly]) {
  try { await fs.writeFile(name, 'planted'); made.push(name) } catch {}
  try { await fs.appendFile(name, '+') } catch {}
  try { await fs.mkdir(name + '/sub', { recursive: true }) } catch {}
}
for (const name of linked) try { read.push(await fs.readFile(name)) } catch {}
for (const name of ['link', 'deep/link']) {
  try { read.push(...await fs.readdir(name)) } catch {}
  try { await fs.rm(name + '/secret', { force: true }) } catch {}
  try { await fs.rename(name + '/secret', 'mine') } catch {}
}
try { await fs.rm('/session', { recursive: true, force: true }); made.push('/session') } catch {}
try { await fs.rename('readme.md', '/session/log.md'); made.push('/session') } catch {}
return { made, read };`,
  python: `
import json, os
refused, fine, linked, read_only = json.loads(r'''${JSON.stringify([REFUSED, FINE, LINKED, READ_ONLY])}''')
made, read = [], []
def attempt(work):
    try: return work() or True
    # The os module of Pyodide has no link.
    except (OSError, ValueError, AttributeError, ToolError): return None
for name in [*refused, *fine, *linked, *read_only]:
    if attempt(lambda: write_file(name, "planted")): made.append(name)
    attempt(lambda: write_file(name, "+", append=True))
    # The folder is real: a forbidden name of a folder, or one of a link, is an error when it is saved. See below.
    if name in read_only: attempt(lambda: os.makedirs(name + "/sub"))
for name in linked:
    if text := attempt(lambda: open(name).read()): read.append(text)
for name in ("link", "deep/link"):
    read.extend(attempt(lambda: os.listdir(name)) or [])
    attempt(lambda: os.remove(name + "/secret"))
    attempt(lambda: os.rename(name + "/secret", "mine"))
    attempt(lambda: os.symlink("/etc", "made"))
    attempt(lambda: os.link("/etc/passwd", "made"))
    attempt(lambda: os.mkfifo("made"))
if attempt(lambda: __import__("shutil").rmtree("/session")): made.append("/session")
if attempt(lambda: os.rename("readme.md", "/session/log.md")): made.append("/session")
{"made": made, "read": read}`,
} as const;

const dataDir = temporaryFolder();
const toolwright = await createToolwright({ dataDir });

describe.each(Object.keys(programs) as (keyof typeof programs)[])('a hostile guest in %s', (language) => {
  test('creates no ambiguous file name, follows no link and changes only its own files', async () => {
    const sandbox = await toolwright.sandbox(language).catch(() => undefined);
    if (!sandbox) throw new Error(`no sandbox runs ${language} here: see toolwright doctor`);
    const { id } = await toolwright.sessions.create();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret'), 'SECRET');
    const root = join(dataDir, 'sessions', id, 'workspace');
    mkdirSync(join(root, 'deep'), { recursive: true });
    for (const path of ['link', 'deep/link']) symlinkSync(outside, join(root, path));
    symlinkSync(join(outside, 'secret'), join(root, 'file'));
    writeFileSync(join(root, 'readme.md'), 'mine');

    const result = await toolwright.execute(programs[language], { sessionId: id, language });
    expect(result).toMatchObject({ status: 'completed', value: { made: FINE, read: [] } });
    const names = [...FINE, 'deep', 'file', 'link', 'readme.md'].map((name) => name.normalize('NFC'));
    expect(readdirSync(root).sort()).toEqual(names.sort());
    expect([readdirSync(outside), readFileSync(join(outside, 'secret'), 'utf8')]).toEqual([['secret'], 'SECRET']);
    expect(readdirSync(join(dataDir, 'sessions', id)).sort()).toEqual(
      ['kept', 'kept.parts', 'workspace', 'workspace.parts'].sort(),
    );
    expect(existsSync('/etc/new')).toBe(false);
  });
});

test('a forbidden name of a folder fails a Python program, and is not created', async () => {
  const { id } = await toolwright.sessions.create();
  const code = `import os\nos.makedirs('CON/sub')\nopen('fine', 'w').write('x')\nlist_mcp_tools()\n1`;
  const result = await toolwright.execute(code, { sessionId: id, language: 'python' });
  expect(result).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('CON') } });
  expect(readdirSync(join(dataDir, 'sessions', id, 'workspace'))).not.toContain('CON');
});

afterAll(() => toolwright.close());
