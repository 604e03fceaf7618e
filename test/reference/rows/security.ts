import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { createToolwright } from '../../../packages/core/src/toolwright.ts';
import type { Machine } from '../machine.ts';
import type { Part, Row } from '../row.ts';

/** A value of a type that the documents name. */
const personal = (item: string, type: string, text: string): Row => ({
  item: `personal data: ${item}`,
  from: 'HNSM',
  async check({ toolwright }) {
    expect(await (await toolwright()).pii.redact(text)).toMatch(new RegExp(`\\[${type}_\\d+\\]`));
  },
});

/** A property of the sandbox `docker` in the documents; `test/containers/hardening.test.ts` proves it in containers. */
const container = (item: string, text: RegExp): Row => ({
  item,
  from: 'HNS',
  check: () =>
    expect(readFileSync(new URL('../../containers/hardening.test.ts', import.meta.url), 'utf8')).toMatch(text),
});

const refused = async ({ run }: Machine, code: string) => expect(await run(code)).toBe('refused');

export const SECURITY: Part = {
  title: 'Isolation and personal data',
  rows: [
    {
      item: 'a sandbox that reaches the tools only',
      from: 'HNSPM',
      check: (machine) =>
        refused(
          machine,
          `return typeof fetch === 'undefined' && typeof WebSocket === 'undefined' ? 'refused' : 'open'`,
        ),
    },
    container('Docker: a user without rights', /user|uid/i),
    container('Docker: a root file system that cannot be written', /toContain\('ro'\)/),
    container('Docker: no capabilities', /cap/i),
    container('Docker: no network', /network/i),
    {
      item: 'limits of processor time and memory',
      from: 'HNS',
      async check() {
        await using toolwright = await createToolwright({ sandbox: 'quickjs' });
        const result = await toolwright.execute('for (;;) {}', { limits: { timeoutMs: 500 } });
        expect(result).toMatchObject({ status: 'stopped', limit: 'timeout' });
      },
    },
    {
      item: 'tokens between the sandbox and the host',
      from: 'HNS',
      differs: 'There is no token to steal: the host opens one stream per program, and the program has nothing else.',
      check: (machine) => refused(machine, `return typeof process === 'undefined' ? 'refused' : 'open'`),
    },
    {
      item: 'hardware isolation by Microsandbox',
      from: 'P',
      differs:
        'The sandbox `microsandbox` is experimental and needs KVM. The default is the strongest one that works on the machine.',
      async check({ desk }) {
        expect((await desk.run(['doctor'])).out).toContain('microsandbox');
      },
    },
    {
      item: 'sandboxes in WebAssembly',
      from: 'HN',
      async check() {
        await using toolwright = await createToolwright({ sandbox: 'quickjs' });
        expect(await toolwright.execute('return 1')).toMatchObject({ value: 1, stats: { sandbox: 'quickjs' } });
      },
    },
    {
      item: 'sandboxes by processes',
      from: 'HN',
      differs:
        'A process alone does not isolate. The sandbox `jail` adds namespaces, a filter of system calls and limits.',
      async check({ desk }) {
        expect((await desk.run(['doctor'])).out).toContain('jail');
      },
    },
    {
      item: 'sandboxes by cloud functions',
      from: 'HN',
      differs: 'A cloud function has a network. Run `toolwright serve` there, or implement the port `Sandbox`.',
      check: () =>
        expect(readFileSync(new URL('../../../docs/sandboxes.md', import.meta.url), 'utf8')).toMatch(/cloud function/i),
    },
    personal('email addresses', 'EMAIL', 'Write to john@example.com'),
    personal('phone numbers', 'PHONE', 'Call 555-123-4567'),
    personal('social security numbers', 'SSN', 'SSN: 219-09-9999'),
    personal('credit cards', 'CREDIT_CARD', 'Card 4111 1111 1111 1111'),
    personal('IP addresses', 'IP', 'from 84.12.33.9'),
    {
      item: 'personal data: replaced before the model, restored before a tool',
      from: 'HNSM',
      async check({ run }) {
        const code = `await callMCPTool('security__send_alert', { to: pii_value });
          return [pii_value, await callMCPTool('security__sent_alerts', {})]`;
        const query = `SELECT 'john@example.com' AS email`;
        const [shown, lengths] = (await run(
          `const [{ email: pii_value }] = await callMCPTool('database__query', { query: "${query}" });\n${code}`,
        )) as [string, number[]];
        expect(shown).toMatch(/^\[EMAIL_\d+\]$/);
        expect(lengths).toContain('john@example.com'.length);
      },
    },
    {
      item: 'personal data: Redis and encryption for production',
      from: 'S',
      differs: 'The vault is encrypted in every store: SQLite by default, Redis with `store: "redis://…"`.',
      check: () => expect(readFileSync(new URL('../../../docs/vault.md', import.meta.url), 'utf8')).toMatch(/Redis/),
    },
    {
      item: 'rate limits per user',
      from: 'S',
      check: () =>
        expect(readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')).toContain(
          'rateLimits',
        ),
    },
  ],
};
