import { join } from 'node:path';
import { expect } from 'vitest';
import { createToolwright } from '../../../packages/core/src/toolwright.ts';
import { createTasks } from '../../../packages/server/src/agent/tasks.ts';
import { openModels } from '../../../packages/server/src/models/choose.ts';
import { fixture } from '../../fixtures/server.ts';
import type { Part } from '../row.ts';

export const LIBRARY: Part = {
  title: 'Library and extension',
  rows: [
    {
      item: '`McpClient.addServer(config)`',
      from: 'HNS',
      async check() {
        await using toolwright = await createToolwright({ sandbox: 'quickjs' });
        await toolwright.addServer('basic', fixture('basic'));
        expect((await toolwright.execute(`return callMCPTool('basic__echo', { value: 'x' })`)).status).toBe(
          'completed',
        );
        await toolwright.removeServer('basic');
        expect((await toolwright.execute(`return callMCPTool('basic__echo', { value: 'x' })`)).status).toBe('failed');
      },
    },
    {
      item: '`initializeServers()`: connect MCP servers in code',
      from: 'HNS',
      differs: 'Servers are configuration: `mcpServers` of `createToolwright` or of `toolwright.json`.',
      async check({ run }) {
        expect(await run(`return callMCPTool('database__query', { query: 'SELECT 1 AS one' })`)).toEqual([{ one: 1 }]);
      },
    },
    {
      item: "`piiCensor.addPattern('custom_id', /\\bID-\\d{6}\\b/g)`",
      from: 'HN',
      differs:
        'It is `toolwright.pii.addPattern`. The pattern runs in linear time; look-around and backreferences are refused.',
      async check() {
        await using toolwright = await createToolwright({ sandbox: 'quickjs' });
        toolwright.pii.addPattern('custom_id', /\bID-\d{6}\b/g);
        expect(await toolwright.pii.redact('ID-123456')).toMatch(/^\[CUSTOM_ID_\d+\]$/);
      },
    },
    {
      item: '`callLLM(prompt, tools)`: a model of your own',
      from: 'HNS',
      differs: 'Models of 15 providers are chosen by `LLM_MODEL`. A model of your own implements the port `Model`.',
      async check({ api }) {
        expect(await api()).toContain('http');
      },
    },
    {
      item: '`prompt_templates.ts`: a system prompt of your own',
      from: 'HNS',
      differs:
        'The option `promptFile` of `createTasks` names a file. The default is `system-prompt.md` of `@toolwright/server`.',
      async check({ toolwright, desk }) {
        const tasks = createTasks({
          toolwright: await toolwright(),
          dataDir: desk.folder,
          models: openModels({ model: 'scripted/steps.json' }),
          promptFile: join(desk.folder, 'missing.md'),
        });
        await expect(tasks).rejects.toThrow('missing.md');
      },
    },
    {
      item: '`SandboxManager`: a sandbox of your own',
      from: 'HNS',
      async check() {
        const { runSandboxCase, sandboxCasesFor } = await import('@toolwright/conformance/sandbox');
        expect([typeof runSandboxCase, typeof sandboxCasesFor]).toEqual(['function', 'function']);
      },
    },
  ],
};
