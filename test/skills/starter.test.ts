import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { openDesk } from '../fixtures/command-line.ts';

const STARTER = join(import.meta.dirname, '../../skills');
const NAMES = readdirSync(STARTER).sort();
const require = createRequire(import.meta.url);

/** The files of the server "files". */
const FILES = {
  'sales.csv': 'region,amount,note\nnorth,3,"a, b"\nsouth,4,"say ""hi"""\nnorth,5,\n',
  'notes/first.md': 'Acme Inc is late.\nPaid: no\n',
  'notes/second.md': 'acme inc again, Acme Inc\n',
  'notes/copy.md': 'Acme Inc is late.\nPaid: no\n',
  'v1/a.txt': 'one',
  'v1/b.txt': 'two',
  'v2/a.txt': 'one!',
  'v2/c.txt': 'three',
};
const FACTS = [
  { about: 'Apollo', type: 'project', fact: 'starts in May' },
  { about: 'Apollo', type: 'project', fact: 'starts in May' },
  { about: 'Zeus', type: 'project', fact: 'ends in June' },
];

/** Calls of a skill, in their order, with the results. */
const CALLS: Readonly<Record<string, readonly (readonly [args: object, result: unknown])[]>> = {
  'template-skill': [[{ text: 'hi' }, 'Echo: hi\nEcho: hi']],
  'data-processor': [
    [
      {
        rows: [
          { a: 'x', n: 1, kind: 1 },
          { a: 'y', n: 5, kind: 1 },
          { a: 'x', n: 2, kind: 1 },
          { a: 'z', n: 9 },
        ],
        where: { kind: 1 },
        groupBy: 'a',
        sum: 'n',
      },
      [
        { key: 'y', count: 1, sum: 5 },
        { key: 'x', count: 2, sum: 3 },
      ],
    ],
  ],
  'files-below': [[{ path: 'v1' }, ['v1/a.txt', 'v1/b.txt']]],
  'csv-report': [
    [
      { path: 'sales.csv', groupBy: 'region', sum: 'amount' },
      [
        { key: 'north', count: 2, sum: 8 },
        { key: 'south', count: 1, sum: 4 },
      ],
    ],
  ],
  'find-in-files': [
    [{ path: '.', text: 'paid', ending: 'first.md' }, [{ path: './notes/first.md', number: 2, line: 'Paid: no' }]],
  ],
  'folder-summary': [
    [
      { path: '.' },
      {
        files: 8,
        endings: [
          { key: '.txt', count: 4 },
          { key: '.md', count: 3 },
          { key: '.csv', count: 1 },
        ],
      },
    ],
  ],
  'duplicate-files': [[{ path: '.' }, [['./notes/copy.md', './notes/first.md']]]],
  'compare-folders': [
    [
      { before: 'v1', after: 'v2' },
      { added: ['c.txt'], removed: ['b.txt'], changed: ['a.txt'] },
    ],
  ],
  'replace-in-files': [
    [{ path: 'notes', text: 'again', by: 'soon' }, [{ path: 'notes/second.md', count: 1 }]],
    [{ path: 'notes', text: 'again', by: 'soon', write: true }, [{ path: 'notes/second.md', count: 1 }]],
    [{ path: 'notes', text: 'again', by: 'soon' }, []],
  ],
  'remember-facts': [
    [{ facts: FACTS }, { entities: 2, facts: 2 }],
    [{ facts: FACTS }, { entities: 0, facts: 0 }],
  ],
  'graph-report': [[{ most: 1 }, { entities: 2, relations: 0, types: [{ key: 'project', count: 2 }], linked: [] }]],
  'weather-report': [
    [
      { cities: ['Chicago', 'Los Angeles'] },
      [
        expect.objectContaining({ location: 'Los Angeles', temperature: 73 }),
        expect.objectContaining({ location: 'Chicago', temperature: 36 }),
      ],
    ],
  ],
};

test('the command adds the twelve skills, and reports the problems of others', async () => {
  const desk = openDesk({});
  const added = await desk.run(['skills', 'add']);
  expect(added).toEqual({ code: 0, out: NAMES.map((name) => `${name}: version 1\n`).join(''), err: '' });
  expect((await desk.run(['skills', 'list', 'csv'])).out).toContain('csv-report  Adds up a column');
  mkdirSync(join(desk.folder, 'bad'));
  writeFileSync(join(desk.folder, 'bad/SKILL.md'), '---\nname: other\n---\n');
  expect(await desk.run(['skills', 'add', 'bad'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('bad: '),
  });
  expect(await desk.run(['skills', 'add', 'missing'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('The folder missing does not exist.'),
  });
});

test('each skill has a call here', () => {
  expect(Object.keys(CALLS).sort()).toEqual(NAMES);
});

describe.each(['typescript', 'python'] as const)('in %s', (language) => {
  let toolwright: Toolwright;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-starter-'));
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(join(folder, 'files', path, '..'), { recursive: true });
      writeFileSync(join(folder, 'files', path), text);
    }
    const server = (name: string, ...args: string[]) => ({
      command: process.execPath,
      args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
    });
    toolwright = await createToolwright({
      dataDir: join(folder, 'state'),
      pii: { mode: 'off' },
      mcpServers: {
        files: { ...server('filesystem', join(folder, 'files')), cwd: join(folder, 'files') },
        memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(folder, 'graph.jsonl') } },
        everything: server('everything', 'stdio'),
      },
    });
    for (const name of NAMES) {
      const files = ['SKILL.md', 'index.ts', '__init__.py'].map((file) => [
        file,
        readFileSync(join(STARTER, name, file), 'utf8'),
      ]);
      await toolwright.skills().save({ name, files: Object.fromEntries(files) });
    }
  });
  afterAll(() => toolwright.close());

  test.each(Object.entries(CALLS))('%s', async (name, calls) => {
    for (const [args, expected] of calls) {
      const text = JSON.stringify(args);
      const code =
        language === 'python'
          ? `import json\nawait run_skill("${name}", {("group_by" if k == "groupBy" else k): v for k, v in json.loads(${JSON.stringify(text)}).items()})`
          : `return run_skill('${name}', ${text})`;
      const result = await toolwright.execute(code, { language });
      expect(result, JSON.stringify(result)).toMatchObject({ status: 'completed', value: expected });
    }
  });
});
