import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Machine } from '../machine.ts';
import type { Part } from '../row.ts';

/** Calls a tool until the servers have listed their tools. */
async function found({ call }: Machine, args: Record<string, unknown>, text: string): Promise<string> {
  let answer = '';
  await expect.poll(async () => (answer = await call('search_tools', args)), { timeout: 60_000 }).toContain(text);
  return answer;
}

export const MCP_TOOLS: Part = {
  title: 'Tools of the MCP server',
  rows: [
    {
      item: '`execute_code(code)`: Python, without naming the language',
      from: 'M',
      async check({ call }) {
        expect(await call('execute_code', { code: 'x = [n * n for n in range(4)]\nresult = sum(x)' })).toBe('14');
      },
    },
    {
      item: '`search_tools("vulnerability", category="security", detail_level="summary")`',
      from: 'M',
      async check(machine) {
        const args = { query: 'vulnerability', category: 'security', detail_level: 'summary' };
        const text = await found(machine, args, 'web_vuln_scanner');
        expect(text).toContain('Scans a site for vulnerabilities');
        const names = await machine.call('search_tools', { ...args, detail_level: 'names' });
        expect(names).toContain('security__web_vuln_scanner');
        expect(names).not.toContain('Scans a site');
      },
    },
    {
      item: '`get_tool_definition("web_vuln_scanner", category="security")`',
      from: 'M',
      async check(machine) {
        await found(machine, { query: 'vulnerability' }, 'web_vuln_scanner');
        const text = await machine.call('get_tool_definition', { name: 'web_vuln_scanner', category: 'security' });
        expect(text).toContain('url');
      },
    },
    {
      item: '`save_skill(name, code, description)` with `filter_high_risk`, `load_skill`, `list_skills`',
      from: 'M',
      async check({ call }) {
        const code = "def keep_high(vulns): return [v for v in vulns if v['severity'] in ['high', 'critical']]";
        await call('save_skill', {
          name: 'keep_high',
          code,
          description: 'Filter vulnerabilities to high/critical only',
        });
        expect(await call('load_skill', { name: 'keep_high' })).toContain("['high', 'critical']");
        expect(await call('list_skills')).toMatch(/keep[-_]high/);
      },
    },
    {
      item: '`sanitize_pii("Contact john@example.com at 555-123-4567")`',
      from: 'M',
      differs:
        'The placeholders are `[EMAIL_1]` and `[PHONE_1]`: a model copies short ones without mistakes. The same value has the same placeholder in a session.',
      async check({ call }) {
        const text = await call('sanitize_pii', { text: 'Contact john@example.com at 555-123-4567' });
        expect(text).toMatch(/^Contact \[EMAIL_\d+\] at \[PHONE_\d+\]$/);
      },
    },
    {
      item: '`restore_pii("[EMAIL_abc123]")`',
      from: 'M',
      differs:
        'A model never receives the value: the tool shows it to the user, and only where the configuration has `pii.restoreTool`. A placeholder that does not exist is a plain text.',
      async check({ call }) {
        const text = await call('sanitize_pii', { text: 'Write to ann.lee@example.com' });
        const placeholder = /\[EMAIL_\d+\]/.exec(text)?.[0];
        expect(placeholder).toBeDefined();
        expect(await call('restore_pii', { text: String(placeholder) })).not.toContain('ann.lee@');
        expect(await call('restore_pii', { text: '[EMAIL_abc123]' })).not.toContain('INTERNAL');
      },
    },
    {
      item: '`write_workspace_file`, `read_workspace_file`, `list_workspace_files`, without a session',
      from: 'M',
      async check({ call }) {
        await call('write_workspace_file', { path: 'notes.txt', content: 'kept' });
        expect(await call('read_workspace_file', { path: 'notes.txt' })).toContain('kept');
        expect(await call('list_workspace_files')).toContain('notes.txt');
        expect(await call('execute_code', { code: `return fs.readFile('notes.txt', 'utf8')` })).toBe('kept');
      },
    },
    {
      item: '`get_execution_stats`',
      from: 'M',
      async check({ call }) {
        await call('execute_code', { code: 'return 1' });
        expect(await call('get_execution_stats')).toMatch(/executions/);
      },
    },
    {
      item: 'limits of 30 s and 500 MB',
      from: 'M',
      differs: 'The limits are 30 s and 128 MB by default, and settings: `limits.timeoutMs` and `limits.memoryBytes`.',
      async check({ toolwright }) {
        expect((await toolwright()).limits).toMatchObject({ timeoutMs: 30_000 });
      },
    },
    {
      item: '`mcpServers` entry in `~/.claude.json`',
      from: 'M',
      differs: 'The command is `npx -y toolwright mcp`; the form of the entry is the same.',
      check() {
        const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
        expect(readme).toMatch(/"mcpServers": \{[\s\S]{0,200}"toolwright", "mcp"/);
      },
    },
    {
      item: 'categories as folders of `tools_registry/`',
      from: 'M',
      differs:
        'Tools come from MCP servers, and a category is a server or one of its groups. Nothing is registered by hand.',
      async check(machine) {
        expect(await machine.call('search_tools', { query: 'alert', category: 'memory' })).toMatch(/security/);
      },
    },
  ],
};
