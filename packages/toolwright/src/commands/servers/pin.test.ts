import { describe, expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { plainText, scratch } from '../../../../../test/fixtures/scratch-home.ts';
import { addServer } from './add.ts';
import { pinnedArgs, type RunProgram } from './pin.ts';

describe('--pin', () => {
  const registry =
    (answers: Readonly<Record<string, string>>): RunProgram =>
    async (command, args, input) => {
      const key = [
        command,
        ...args.filter((arg) => !arg.startsWith('-') && !/^(view|version|pip|compile)$/.test(arg)),
        input.trim(),
      ]
        .join(' ')
        .trim();
      const answer = answers[key];
      if (answer === undefined)
        throw Object.assign(new Error(`no answer for ${key}`), { stderr: 'npm error code E404' });
      return answer;
    };
  const run = registry({
    'npm pkg': '"1.2.3"',
    'npm @a/b@^2': '["2.0.0","2.1.0"]',
    'npm gone@^9': '',
    'uv git': 'git==0.6.2\n',
    'uv git==0.5': 'git==0.5.0\n',
    'uv x[cli]': '# by uv\nx[cli]==3.1 ; python_version > "3"\n',
  });

  it.each([
    ['npx', ['-y', 'pkg', '--flag'], ['-y', 'pkg@1.2.3', '--flag']],
    ['npx', ['-y', '@a/b@^2'], ['-y', '@a/b@2.1.0']],
    ['npx', ['--package=pkg', '-y', 'tool'], ['--package=pkg@1.2.3', '-y', 'tool']],
    ['/usr/bin/npx', ['-p', 'pkg', 'tool'], ['-p', 'pkg@1.2.3', 'tool']],
    ['bunx', ['pkg'], ['pkg@1.2.3']],
    ['uvx', ['git', '--repo', '.'], ['--from', 'git==0.6.2', 'git', '--repo', '.']],
    ['uvx', ['git@0.5'], ['--from', 'git==0.5.0', 'git']],
    ['uvx', ['--from', 'x[cli]', 'x-server'], ['--from', 'x[cli]==3.1', 'x-server']],
    ['uvx', ['--python', '3.12', 'git'], ['--python', '3.12', '--from', 'git==0.6.2', 'git']],
  ])('%s %j', async (command, args, pinned) => {
    expect(await pinnedArgs(command, args, run)).toEqual(pinned);
  });

  it.each([
    ['docker', ['run', 'x'], run, '--pin needs a command that starts a package: npx, bunx or uvx, not "docker".'],
    ['npx', ['-y'], run, 'finds no package with versions'],
    ['npx', ['./local'], run, 'finds no package with versions'],
    [
      'npx',
      ['unknown'],
      run,
      'The version of the package "unknown" is unknown: the package registry does not have it.',
    ],
    ['npx', ['gone@^9'], run, 'There is no version of the package "gone@^9".'],
    [
      'npx',
      ['pkg'],
      () => Promise.reject(Object.assign(new Error('x'), { stderr: 'ENOTFOUND' })),
      'the package registry cannot be reached',
    ],
    [
      'uvx',
      ['git'],
      () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOENT' })),
      '--pin needs the program uv, which is not installed',
    ],
  ] as const)('fails for %s %j', async (command, args, program, message) => {
    await expect(pinnedArgs(command, args, program)).rejects.toThrow(message);
  });

  it('is written', async () => {
    const { context, config } = scratch();
    const probing = {
      addServer: async (name: string) => ({
        name,
        slug: name,
        pythonModule: name,
        toolCount: 0,
        status: { state: 'ready' as const, starts: 1 },
      }),
      tools: async () => [],
      pii: plainText,
    };
    const args = { words: ['new', 'npx', '-y', 'pkg'], headers: [], env: [], isPinned: true };
    await addServer(context, args, partial(probing), (command, words) => pinnedArgs(command, words, run));
    expect(config().mcpServers.new.args).toEqual(['-y', 'pkg@1.2.3']);
  });
});
