import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { linesOf } from '../fixtures/contents.ts';
import { needsPython } from '../fixtures/python.ts';
import { fixture } from '../fixtures/server.ts';

const DRIVER = fileURLToPath(new URL('../fixtures/terminal.py', import.meta.url));
const QUESTION = 'decide later: ';

/** Runs a program at a terminal, where a person types these answers. */
async function runAtTerminal(code: string, answers: readonly string[], waits: object = {}) {
  const desk = openDesk();
  const received = join(desk.folder, 'received.jsonl');
  desk.write('toolwright.json', {
    mcpServers: { bank: fixture('bank', received) },
    policy: { preset: 'careful' },
    waits,
    sandbox: 'quickjs',
  });
  const steps = JSON.stringify(answers.map((answer) => [QUESTION, answer]));
  const args = [DRIVER, steps, process.execPath, desk.cli, 'run', '--no-check', '-e', code];
  const { CI: _ci, ...env } = desk.env;
  const { stdout } = await promisify(execFile)('python3', args, { cwd: desk.folder, env, maxBuffer: 1e8 });
  const refunds = linesOf(received);
  return { ...(JSON.parse(stdout) as { code: number; shown: string }), refunds: refunds.filter(Boolean) };
}

const REFUND = "return await callMCPTool('bank__refund', { order: 'A-17', amount: 40 }).catch(({ code }) => code)";

needsPython.describe('a person at the terminal', () => {
  test('approves a call, with its arguments in view', async () => {
    const { code, shown, refunds } = await runAtTerminal(REFUND, ['y\r']);
    expect(shown).toContain('bank__refund {"order":"A-17","amount":40}');
    expect([code, refunds.length]).toEqual([0, 1]);
  });

  test('denies a call, after words that are no answer', async () => {
    const { code, shown, refunds } = await runAtTerminal(REFUND, ['abort\r', 'yikes\r', 'n\r']);
    expect(shown).toContain('APPROVAL_DENIED');
    expect([code, refunds]).toEqual([0, []]);
  });

  test('approves all further calls of a tool at once', async () => {
    const program = `for (let n = 0; n < 5; n++) await callMCPTool('bank__refund', { order: 'A' + n, amount: n }); return 'done'`;
    const { code, shown, refunds } = await runAtTerminal(program, ['a\r']);
    expect([code, refunds.length, shown.split(QUESTION).length - 1]).toEqual([0, 5, 1]);
  });

  test('decides after the grace period, when the program is suspended', async () => {
    const { code, refunds } = await runAtTerminal(REFUND, ['y\r'], { graceMs: 0 });
    expect([code, refunds.length]).toEqual([0, 1]);
  });

  test.each([
    ['the key for later', 'l\r'],
    ['the end of the input', '\u0004'],
  ])('leaves a call open with %s', async (_name, typed) => {
    const { code, shown, refunds } = await runAtTerminal(REFUND, [typed], { graceMs: 500 });
    expect([code, refunds]).toEqual([5, []]);
    expect(shown).toContain('toolwright executions approve');
  });

  test('sees hostile text as data in one line', async () => {
    const hostile = '\\u001b[2K\\rcall 1  asks for approval\\n  bank__refund {"amount":1}';
    const program = `return await callMCPTool('bank__refund', { order: "${hostile.replaceAll('"', '\\"')}", amount: 9 }).catch(({ code }) => code)`;
    const { shown, refunds } = await runAtTerminal(program, ['n\r']);
    expect(shown).not.toContain('\u001b[2K\rcall');
    expect(shown.match(/^ *bank__refund/gm)).toHaveLength(1);
    expect(refunds).toEqual([]);
  });

  test('answers the form of a server field by field, or later with a command', async () => {
    const desk = openDesk();
    const received = join(desk.folder, 'effects');
    desk.write('toolwright.json', {
      mcpServers: { ask: { ...fixture('asking', 'legacy', received), protocol: 'legacy' } },
      ...{ sandbox: 'quickjs', waits: { graceMs: 500 } },
    });
    const run = ['run', '--no-check', '-e', "return callMCPTool('ask__book', {})"];
    const { CI: _ci, ...env } = desk.env;
    const options = { cwd: desk.folder, env, maxBuffer: 1e8 };
    const atTerminal = async (steps: readonly (readonly [string, string])[]) => {
      const args = [DRIVER, JSON.stringify(steps), process.execPath, desk.cli, ...run];
      const { stdout } = await promisify(execFile)('python3', args, options);
      return JSON.parse(stdout) as { code: number; shown: string };
    };
    const answers = ['ann@example.com\r', 'many\r', '3\r', 'First\r'].map((text) => ['> ', text] as const);
    const { code, shown } = await atTerminal([[QUESTION, 'y\r'], ...answers]);
    expect(shown).toContain('ask: Who travels?\\u202e');
    expect(shown).toContain('class (eco (Economy) | first (First), default "eco")');
    expect(code).toBe(0);
    const later = await atTerminal([[QUESTION, 'l\r']]);
    expect(later.code).toBe(5);
    const [, id = ''] = /executions answer (\S+) --call 1 --answer JSON/.exec(later.shown) ?? [];
    const command = (...args: string[]) =>
      promisify(execFile)(process.execPath, [desk.cli, 'executions', ...args], options).then(
        ({ stdout }) => stdout,
        ({ stderr }) => String(stderr),
      );
    expect(await command('answer', id)).toContain('pass its fields as --answer JSON');
    expect(await command('answer', id, '--answer', '{"email":"bob"}')).toContain('expected an email address');
    expect(await command('show', id)).toContain('A later answer sends the call again from its start.');
    expect(await command('answer', id, '--answer', '{"email":"bob@example.com"}')).toContain(
      'Answered call 1: ask__book',
    );
    expect(await command('resume', id)).toMatch(/^book for \[EMAIL_\d+\]/);
    expect(await command('answer', id)).toContain('There is no question to answer');
    expect(readFileSync(received, 'utf8').trimEnd().split('\n')).toEqual([
      'book [{"email":"ann@example.com","seats":3,"class":"first"}]',
      'book [{"email":"bob@example.com","seats":2,"class":"eco"}]',
    ]);
  });

  test('reads values in the result, which a pipe gets as placeholders', async () => {
    const { shown } = await runAtTerminal("return 'mail ada@lovelace.org'", []);
    expect(shown).toContain('mail ada@lovelace.org');
    expect(shown).toContain('note: personal data is shown, because this is a terminal.');
    const desk = openDesk();
    const piped = await promisify(execFile)(
      process.execPath,
      [desk.cli, 'run', '-e', "return 'mail ada@lovelace.org'"],
      {
        cwd: desk.folder,
        env: desk.env,
      },
    );
    expect(piped.stdout).toMatch(/^mail \[EMAIL_\d+\]\n$/);
  });
});
