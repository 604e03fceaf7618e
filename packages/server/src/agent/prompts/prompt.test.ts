import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { failureOf, temporaryFile } from '../../../../../test/fixtures/server.ts';
import { orderTool } from '../../../../../test/fixtures/tasks.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright, type Toolwright } from '../../../../core/src/toolwright.ts';
import { systemPrompt } from './prompt.ts';

let toolwright: Toolwright;
beforeAll(async () => {
  toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: warmQuickjs(),
    tools: { desk: { tools: { order: orderTool().tool } } },
  });
});
afterAll(() => toolwright.close());

function templateFile(text: string): string {
  const path = temporaryFile();
  writeFileSync(path, text);
  return path;
}

test('the shipped prompt names the tools, the language and the skills of the user', async () => {
  const prompt = await systemPrompt();
  const bare = await prompt(toolwright, { user: 'ada', language: 'typescript' });
  expect(bare).toContain('Call at once; errors show signatures:\ndesk: order');
  expect(bare).toContain('Write TypeScript, one program');
  expect(bare).not.toMatch(/\{\{|Skills, saved/);
  await toolwright.skills('ada').save({
    name: 'double-rows',
    description: 'Doubles rows. Use it for rows.',
    code: 'export default function doubleRows({ rows }: { rows: number[] }) { return rows.map((row) => row * 2); }',
  });
  const withSkill = await prompt(toolwright, { user: 'ada', language: 'python' });
  expect(withSkill).toContain(
    '- double-rows: Doubles rows. Use it for rows.  run_skill("double-rows", {rows: number[]})',
  );
  expect(withSkill).toContain('Write Python, one program');
  expect(await prompt(toolwright, { user: 'bob', language: 'typescript' })).not.toContain('double-rows');
});

test('a custom template is filled in; a missing file or an unknown variable is rejected', async () => {
  const prompt = await systemPrompt(templateFile('Speak {{ language }}. {{tools}} $& done'));
  const text = await prompt(toolwright, { user: 'bob', language: 'python' });
  expect(text).toMatch(
    /^Speak Python\. Let one execute_code program [\s\S]*Call at once; errors show signatures:\ndesk: order \$& done$/,
  );
  expect(await failureOf(systemPrompt(templateFile('{{secrets}}')))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(
      'has the unknown variable {{secrets}}. Use only {{tools}}, {{skills}}, {{language}}, {{date}}.',
    ),
  });
  expect((await failureOf(systemPrompt('/nowhere/prompt.md'))).code).toBe('CONFIG_INVALID');
});
