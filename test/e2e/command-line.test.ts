import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readJournal } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { childrenOf, isAlive } from '../fixtures/processes.ts';
import { fixture, temporaryFile, until } from '../fixtures/server.ts';

const desk = openDesk({ basic: fixture('basic'), dead: fixture('dies', 'start') });
const bare = openDesk();
const COMMANDS =
  'The commands are: init, run, tools, resources, prompts, servers, skills, packages, mcp, serve, policy, pii, n8n, executions, sessions, keys, dashboard, migrate, backup, restore, doctor.';
const usage = (message: string, command = 'run') => `${message}\nRun "toolwright ${command} --help" for the options.\n`;
const misread = (message: string) => `${message}\nRun "toolwright --help" for the commands.\n`;

describe.concurrent('mistakes', () => {
  test.each<[string[], string]>([
    [['run'], usage('"run" requires a program: a file, - for standard input, or -e CODE.')],
    [['run', 'a.ts', '-e', '1'], usage('Give a file or -e CODE, not both.')],
    [['run', 'a.ts', 'b.ts'], usage('"run" accepts one file; remove "b.ts".')],
    [['run', '-e', '1', '--limit', '5'], usage('"toolwright run" has no option --limit.')],
    [['run', '-e', '1', '--timeout-ms', '0'], usage('--timeout-ms takes a positive whole number, not "0".')],
    [['run', '-e', '1', '--timeout-ms', 'soon'], usage('--timeout-ms takes a positive whole number, not "soon".')],
    [['run', '-e', '1', '--memory-mb', '1.5'], usage('--memory-mb takes a positive whole number, not "1.5".')],
    [['run', '-e', '1', '--language', 'ruby'], usage('There is no language "ruby". Use one of: typescript, python.')],
    [
      ['run', '-e', '1', '--timeout-ms', '9000000000'],
      'limits.timeoutMs must be at most 2000000000, not 9000000000.\n',
    ],
    [
      ['run', '-e', '1', '--sandbox', 'jial'],
      'There is no sandbox "jial". The sandboxes are: auto, jail, quickjs, pyodide, docker, microsandbox, kubernetes.\n',
    ],
    [['run', '-e', '1', '--session', '../x'], 'A session id must have 1 to 64 letters, digits, "-" and "_".\n'],
    [['docter'], misread('There is no command "docter". Did you mean "doctor"?')],
    [['toString'], misread(`There is no command "toString". ${COMMANDS}`)],
    [['run', '-e', '1', '--sanbox', 'jail'], usage('There is no option --sanbox. Did you mean --sandbox?')],
    [['run', '-e', '1', '-q'], usage('There is no option -q.')],
    [['doctor', 'now'], usage('"doctor" accepts no argument; remove "now".', 'doctor')],
    [['pii', 'scann'], usage('Use "pii scan [FILE]", "pii forget VALUE --session ID" or "pii rotate".', 'pii')],
    [
      ['pii', 'scan', '-e', '1', '--session', 'a'],
      usage('"toolwright pii scan" has no option --session. Only "pii forget" has it.', 'pii'),
    ],
    [['skills', 'ad'], usage('There is no command "skills ad". Use one of: list, show, add, check, run.', 'skills')],
    [['doctor', '-e', '1'], usage('"toolwright doctor" has no option --eval.', 'doctor')],
    [
      ['policy', 'tset'],
      usage(
        'Use "policy test" for all tools, "policy test TOOL [--arguments JSON]" for one, or "policy test --program FILE".',
        'policy',
      ),
    ],
    [
      ['policy', 'test', 'a__b', '--arguments', '[1]'],
      usage(`--arguments takes a JSON object, such as '{"to":"ada@example.com"}'.`, 'policy'),
    ],
    [['tools', 'show'], usage('"tools show" requires one name: toolwright tools show server__tool', 'tools')],
  ])('exit 2: %j', async (args, err) => {
    const place = args[0] === 'tools' ? desk : bare;
    expect(await place.run(args)).toEqual({ code: 2, out: '', err });
  });

  test('exit 2: an unknown option, a missing file, a bad configuration', async () => {
    bare.write('bad.json', { sandbox: 5 });
    const runs = [
      ['run', '--no-such'],
      ['run', 'gone.ts'],
      ['run', '.'],
      ['run', '-e', '1', '--config', 'gone.json'],
      ['run', '-e', '1', '--config', 'bad.json'],
      ['tools'],
      [],
    ];
    const ends = await Promise.all(runs.map((args) => bare.run(args)));
    expect(ends.map(({ code, out }) => [code, out])).toEqual(Array(runs.length).fill([2, '']));
    const starts = ends.map(({ err }) => err.split('\n')[0]);
    expect(starts).toEqual([
      expect.stringContaining('There is no option --no-such.'),
      'Cannot read the program gone.ts: there is no such file. Correct the path, or use - for a pipe.',
      'Cannot read the program .: it is a folder, not a file. Correct the path, or use - for a pipe.',
      expect.stringContaining(`No configuration: there is no file ${join(bare.folder, 'gone.json')}`),
      `${join(bare.folder, 'bad.json')} has a problem:`,
      expect.stringMatching(
        /No configuration: neither toolwright\.json nor \.mcp\.json is in .*"toolwright init" makes one/,
      ),
      'Usage: toolwright COMMAND [options]',
    ]);
    expect(ends.filter(({ err }) => /\n\s+at /.test(err))).toEqual([]);
  });
});

test('pii scan finds the configured types', async () => {
  bare.write('pii.json', { pii: { patterns: { customer_id: 'KND-[0-9]+' }, ignore: ['EMAIL'] } });
  const text = ['-e', 'KND-1234 is ada@example.org'];
  const found = await bare.run(['pii', 'scan', '--config', 'pii.json', ...text]);
  expect(found).toEqual({ code: 0, out: '1:1  CUSTOMER_ID  ********  (marked)\n', err: '1 finding\n' });
  expect((await bare.run(['pii', 'scan', ...text])).out).toMatch(/^1:13 {2}EMAIL /);
  const missing = await bare.run(['pii', 'scan', '--config', 'nowhere.json', ...text]);
  expect([missing.code, missing.out, missing.err]).toEqual([2, '', expect.stringContaining('there is no file')]);
});

test('the n8n object of a configuration loads the plugin, with or without its name', async () => {
  const n8n = { catalog: 'example' };
  for (const [file, config] of Object.entries({
    'n8n.json': { n8n },
    'named.json': { plugins: ['@toolwright/n8n'], n8n },
  })) {
    bare.write(file, config);
    const { code, out } = await bare.run(['tools', '--config', file]);
    expect([code, out]).toEqual([0, expect.stringMatching(/n8n-workflows \(\d+ tools\)/)]);
  }
});

test('if all servers failed, the command tools reports the fix and exits with 4', async () => {
  bare.write('down.json', { mcpServers: { down: { command: 'no such-program' } } });
  const line = 'move its arguments to the list mcpServers.down.args';
  for (const words of [[], ['read a file']]) {
    const { code, out } = await bare.run(['tools', ...words, '--config', 'down.json']);
    expect([code, out]).toEqual([4, expect.stringContaining(line)]);
  }
  bare.write('none.json', {});
  const none = await bare.run(['run', '--config', 'none.json', '-e', 'return callMCPTool("a__b", {})']);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('No server is configured: there are no tools.')]);
});

test('--help and --version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect((await bare.run(['help'])).out).toBe((await bare.run(['--help'])).out);
  expect(await bare.run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  const help = await bare.run(['run', '--help']);
  expect([help.code, help.err, help.out.startsWith('Usage: toolwright run [FILE | -]')]).toEqual([0, '', true]);
  expect((await bare.run(['help', 'run'])).out).toBe(help.out);
});

describe.concurrent('tools', () => {
  test('lists the servers, including those that do not start', async () => {
    const { code, out } = await desk.run(['tools']);
    const [basic, dead] = out.split('\n');
    expect([code, basic]).toEqual([4, 'basic (13 tools)  fixture']);
    expect(dead).toMatch(/^dead \(failed: dead .*exit code 3/);
    const json = JSON.parse((await desk.run(['tools', '--json'])).out);
    expect(json.servers.map(({ name, toolCount, status }: never) => [name, toolCount, Object(status).state])).toEqual([
      ['basic', 13, 'ready'],
      ['dead', 0, 'failed'],
    ]);
  });

  test('searches within one server, up to the limit', async () => {
    const { code, out } = await desk.run(['tools', 'add', 'numbers', '--server', 'basic', '--limit', '1', '--json']);
    const { hits } = JSON.parse(out);
    expect([code, hits.map(({ id }: { id: string }) => id)]).toEqual([0, ['basic__add']]);
    const people = await desk.run(['tools', 'add', '--server', 'basic', '--limit', '1']);
    expect(people).toMatchObject({ code: 0, out: expect.stringContaining('servers.basic.add(') });
    const python = await desk.run(['tools', 'add', '--server', 'basic', '--limit', '1', '--language', 'python']);
    expect(python.out).toMatch(/^await servers\.basic\.add\(\) -> \{"sum": float\}\n/);
    const unknown = await desk.run(['tools', 'add', '--server', 'basics']);
    expect(unknown).toEqual({ code: 2, out: '', err: 'Unknown server "basics". Did you mean basic?\n' });
  });

  test('shows one tool', { timeout: 300_000 }, async () => {
    const { code, out } = await desk.run(['tools', 'show', 'basic__add']);
    expect([code, out]).toEqual([0, expect.stringContaining('basic__add')]);
    const json = JSON.parse((await desk.run(['tools', 'show', 'basic__add', '--json'])).out);
    expect([Object.keys(json), json.schema.name]).toEqual([['name', 'signature', 'docs', 'schema'], 'basic__add']);
    for (const name of ['basic__add', 'servers.basic.add', 'basic.add']) {
      const python = await desk.run(['tools', 'show', name, '--language', 'python']);
      expect(python.out).toContain('# from servers.basic import add (tool "basic__add")\n');
    }
    expect(await desk.run(['tools', 'show', 'basic__add', '--language', 'perl'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no language "perl". Use one of: typescript, python.'),
    });
    const unknown = await desk.run(['tools', 'show', 'basic__ad']);
    expect([unknown.code, unknown.out, unknown.err]).toEqual([
      2,
      '',
      expect.stringContaining('Did you mean basic__add'),
    ]);
  });
});

describe.concurrent('doctor', () => {
  test('reports working and broken parts', async () => {
    const { code, out, err } = await desk.run(['doctor', '--json']);
    const { ok, findings } = JSON.parse(out);
    const facts = new Map(findings.map(({ subject, ok: well }: { subject: string; ok: boolean }) => [subject, well]));
    const sandboxes = [...facts.keys()].filter((subject) => /^sandbox \w+ \(/.test(String(subject)));
    expect(sandboxes.join(' ')).toMatch(/jail .*quickjs .*pyodide .*docker .*microsandbox .*kubernetes /);
    // A missing optional part is not a problem: only the dead server is.
    for (const sandbox of sandboxes) facts.delete(sandbox);
    expect([code, ok, [...facts], err]).toEqual([
      2,
      false,
      [
        ['node', true],
        ['type check', true],
        ['configuration', true],
        ['data folder', true],
        ['sandbox for typescript', true],
        ['sandbox for python', true],
        ['server basic', true],
        ['server dead', false],
      ],
      '',
    ]);
    const people = await desk.run(['doctor']);
    expect([people.code, people.out]).toEqual([2, expect.stringMatching(/^problem {2}server dead: .*exit code 3/m)]);
  });

  test('reports no problem when all parts work, and how to start without a configuration', async () => {
    const good = await openDesk({ basic: fixture('basic') }).run(['doctor']);
    expect([good.code, good.out.includes('problem')]).toEqual([0, false]);
    const none = await bare.run(['doctor']);
    expect([none.code, none.out]).toEqual([0, expect.stringMatching(/^absent {3}configuration: No configuration/m)]);
    expect(none.out).toMatch(/^(ok {5}|warning) {2}sandbox for typescript: .*\n[\s\S]*fix: run: toolwright init/m);
  });
});

describe.concurrent('signals and pipes', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends servers and sandboxes, and the command with %i', async (signal, code) => {
    const starts = temporaryFile();
    const own = openDesk({ basic: { ...fixture('basic'), env: { STARTS_FILE: starts } } });
    const child = own.start(
      'run',
      '--json',
      '--sandbox',
      'quickjs',
      '-e',
      'console.log(1); await callMCPTool("basic__slow", { ms: 20000 })',
    );
    const err = child.stderr ? text(child.stderr) : '';
    const journals = join(own.folder, 'state/toolwright/executions');
    const entries = () =>
      readdirSync(journals).flatMap((name) => (name.endsWith('.jsonl') ? readJournal(join(journals, name)) : []));
    const called = () => existsSync(journals) && entries().some(({ entry }) => entry === 'call');
    await until(() => existsSync(starts) && called());
    const sandboxes = childrenOf(child.pid ?? 0).map(({ pid }) => pid);
    child.kill(signal);
    expect([(await once(child, 'exit'))[0], await err]).toEqual([code, '']);
    const servers = readFileSync(starts, 'utf8').trim().split('\n').map(Number);
    expect([servers.length, sandboxes.length >= 2]).toEqual([1, true]);
    await until(() => ![...servers, ...sandboxes].some(isAlive));
    const effects = entries().filter(({ entry }) => ['start', 'call', 'result', 'end'].includes(entry));
    expect(effects.map(({ entry }) => entry)).toEqual(['start', 'call', 'result', 'end']);
  });

  test('a reader that closes early causes no crash', async () => {
    bare.write('large.json', { dataDir: 'data', limits: { resultBytes: 9_000_000 } });
    const child = bare.start('run', '--config', 'large.json', '--sandbox', 'quickjs', '-e', '"x".repeat(8e6)');
    const err = child.stderr ? text(child.stderr) : '';
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [code] = await once(child, 'exit');
    expect([code, await err]).toEqual([0, '']);
  });
});
