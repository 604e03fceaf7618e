import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parseConfig } from '../../../packages/core/src/config/config.ts';
import type { Part } from '../row.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

export const FEATURES: Part = {
  title: 'Promised properties',
  rows: [
    {
      item: 'tools are discovered at run time; no definition is written by hand',
      from: 'HNSPM',
      async check({ toolwright }) {
        const tools = await (await toolwright()).tools();
        expect(tools.map(({ id }) => id)).toEqual(expect.arrayContaining(['database__query', 'files__read_text_file']));
      },
    },
    {
      item: 'progressive disclosure: names, then a summary, then one definition',
      from: 'NPM',
      async check({ run }) {
        const code = `const [hit] = await search_tools('query the sales database');
          return [hit.name, hit.signature.length < 200, (await get_mcp_tool_details(hit.name)).length > 0]`;
        expect(await run(code)).toEqual(['database__query', true, true]);
      },
    },
    {
      item: 'only the result returns to the model',
      from: 'HNSPM',
      async check({ call }) {
        const code = `const rows = Array.from({ length: 10_000 }, (_, id) => ({ id })); return rows.length`;
        expect(await call('execute_code', { code })).toBe('10000');
      },
    },
    {
      item: 'a large result does not fill the context',
      from: 'HNM',
      async check({ call }) {
        const text = await call('execute_code', { code: `return Array.from({ length: 10_000 }, (_, id) => ({ id }))` });
        expect(text.length).toBeLessThan(8_000);
        expect(text).toContain('execution(');
      },
    },
    {
      item: 'a saving of 98.7 % or 99 % of the tokens',
      from: 'NM',
      differs: 'It depends on the job. [Benchmarks](benchmarks.md) has measured savings, also the jobs that cost more.',
      check: () => expect(read('docs/benchmarks.md')).toMatch(/%/),
    },
    {
      item: 'skills belong to their user',
      from: 'HNS',
      async check({ run }) {
        await run(`await fs.writeFile('/skills/own_skill.js', 'module.exports = () => 1')`, { userId: 'skill-owner' });
        const seen = await run(`return fs.readdir('/skills')`, { userId: 'somebody-else' });
        expect(seen).not.toContain('own-skill');
      },
    },
    {
      item: 'an ephemeral workspace',
      from: 'HNS',
      async check({ run }) {
        await run(`await fs.writeFile('/workspace/left.txt', 'x')`, { userId: 'leaver' });
        expect(await run(`return fs.exists('/workspace/left.txt')`, { userId: 'leaver' })).toBe(false);
      },
    },
    {
      item: 'one store of personal data per session',
      from: 'S',
      async check({ toolwright }) {
        const made = await toolwright();
        const [ada, bob] = [await made.sessions.create(), await made.sessions.create()];
        const text = await made.pii.redact('mail anna.berg@example.com', { sessionId: ada.id });
        expect(await made.pii.restore(text, { sessionId: ada.id })).toContain('anna.berg@');
        await expect(made.pii.restore(text, { sessionId: bob.id })).rejects.toMatchObject({
          code: 'UNKNOWN_PLACEHOLDER',
        });
      },
    },
    {
      item: '`[EMAIL_abc123]` in a text is no placeholder, and stays as it is',
      from: 'M',
      async check({ run }) {
        const text = '[EMAIL_abc123]';
        const code = `await callMCPTool('security__send_alert', { to: '${text}' });
          return [(await callMCPTool('security__sent_alerts', {})).includes(${text.length}), '${text}']`;
        expect(await run(code)).toEqual([true, text]);
      },
    },
    {
      item: 'calls of tools are checked before they are sent',
      from: 'S',
      async check({ run }) {
        const wrong = run(`return callMCPTool('database__query', { sql: 'SELECT 1' })`);
        await expect(wrong).rejects.toThrow(/query/);
      },
    },
    {
      item: 'retries and errors in code',
      from: 'HNP',
      async check({ run }) {
        const code = `for (let left = 2; ; left--) {
          try { return await callMCPTool('database__query', { query: left > 0 ? 'SELECT * FROM missing' : 'SELECT 7 AS n' }) } catch (error) { if (left === 0) throw error }
        }`;
        expect(await run(code)).toEqual([{ n: 7 }]);
      },
    },
    {
      item: 'log lines of `console.log` and `print`',
      from: 'HNPM',
      async check({ toolwright }) {
        const made = await toolwright();
        const javascript = await made.execute(`console.log('Tool info:', 1); return 1`);
        const python = await made.execute(`print("Tool info:", 1)\nresult = 1`, { language: 'python' });
        for (const { logs } of [javascript, python]) expect(logs).toMatchObject([{ text: 'Tool info: 1' }]);
      },
    },
    {
      item: '`"disabled": false` in an entry of `mcpServers`',
      from: 'M',
      check() {
        const config = parseConfig({ mcpServers: { a: { command: 'python3', args: ['server.py'], disabled: false } } });
        expect([...config.servers.keys()]).toEqual(['a']);
      },
    },
    {
      item: 'containers are removed automatically',
      from: 'S',
      check: () => expect(read('test/containers/reaping.test.ts')).toMatch(/remove/i),
    },
    {
      item: 'volumes in Docker for `/skills` and `/workspace`',
      from: 'HNS',
      differs:
        'A container mounts nothing of the host. Files go through the stream of the program, which checks each path.',
      check: () => expect(read('docs/sandboxes.md')).toMatch(/docker/),
    },
    {
      item: 'network access of the sandbox as an option',
      from: 'HNS',
      differs:
        'A program never has a network. A tool that needs one belongs to an MCP server, where the policy decides about its calls.',
      async check({ run }) {
        expect(await run(`return typeof fetch`)).toBe('undefined');
      },
    },
    {
      item: 'TLS in production',
      from: 'S',
      differs: 'A reverse proxy or the platform ends TLS: [deployment](deployment.md).',
      check: () => expect(read('docs/deployment.md')).toMatch(/TLS/),
    },
    {
      item: 'alerts and dashboards',
      from: 'S',
      check: () => expect(read('deploy/prometheus-alerts.yaml')).toContain('alert:'),
    },
    {
      item: 'models of OpenAI, Anthropic, Google and local ones',
      from: 'HNS',
      check: () => expect(read('docs/agent.md')).toMatch(/anthropic[\s\S]*google[\s\S]*ollama/),
    },
    {
      item: 'Node.js 18',
      from: 'HN',
      differs: 'Node.js 20.19 or later: version 18 has no security updates.',
      check: () => expect(read('package.json')).toContain('"node": ">=20.19"'),
    },
    {
      item: 'other MCP servers of the same ecosystem',
      from: 'M',
      async check({ toolwright }) {
        const servers = await (await toolwright()).servers();
        expect(servers.filter(({ status }) => status.state === 'ready').length).toBeGreaterThan(3);
      },
    },
  ],
};
