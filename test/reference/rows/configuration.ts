import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { openDesk } from '../../fixtures/command-line.ts';
import { ask } from '../../fixtures/http-server.ts';
import type { Part, Row } from '../row.ts';

/** The file of the README. Its port is any free port here, because tests run side by side. */
const FILE = `# Server Configuration
PORT=0
NODE_ENV=development

# Sandbox Configuration
SANDBOX_IMAGE=sandbox-image-name
SANDBOX_TIMEOUT_MS=30000
SANDBOX_MEMORY_MB=100
SANDBOX_CPU_QUOTA=50000

# LLM Provider (configure for your provider)
LLM_API_KEY=your-api-key-here
LLM_MODEL=scripted/steps.json
`;

/** Starts `serve` in a folder with a `.env` of this text. Returns the answer of a request, and the warnings of the command. */
async function withFile(text: string, path: string, json: unknown): Promise<{ body: unknown; warnings: string }> {
  const desk = openDesk({});
  writeFileSync(join(desk.folder, '.env'), text);
  desk.write('steps.json', [{ text: 'Done.' }]);
  const child = desk.start('serve');
  let warnings = '';
  child.stderr?.on('data', (data) => (warnings += data));
  try {
    if (!child.stdout) throw new Error('no output');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const url = String(line)
      .replace('MCP is at ', '')
      .replace(/\/mcp$/, '');
    return { body: (await ask(url + path, { json })).body, warnings };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** A variable that has a new name here: the old one works, with one warning. */
const variable = (name: string, now: string): Row => ({
  item: `\`${name}\``,
  from: 'HN',
  differs: `It works, with one warning: the name is \`${now}\`.`,
  async check() {
    const { body, warnings } = await withFile(FILE, '/execute', { code: 'return 1', check: false });
    expect(body).toMatchObject({ value: 1 });
    expect(warnings.split(`warning: ${name} is now called ${now}.`)).toHaveLength(2);
  },
});

export const CONFIGURATION: Part = {
  title: 'Configuration',
  rows: [
    {
      item: '`.env`, with `PORT`, `NODE_ENV` and `LLM_MODEL`',
      from: 'HN',
      async check() {
        const { body } = await withFile(FILE, '/task', { task: 'x' });
        expect(body).toMatchObject({ status: 'completed', answer: 'Done.' });
      },
    },
    variable('SANDBOX_TIMEOUT_MS', 'TOOLWRIGHT_TIMEOUT_MS'),
    variable('SANDBOX_MEMORY_MB', 'TOOLWRIGHT_MEMORY_MB'),
    variable('SANDBOX_CPU_QUOTA', 'TOOLWRIGHT_CPU_PERCENT'),
    variable('SANDBOX_IMAGE', 'TOOLWRIGHT_DOCKER_IMAGE'),
    {
      item: '`LLM_API_KEY`',
      from: 'HN',
      differs: 'It works, with one warning: each provider has its own variable, such as `ANTHROPIC_API_KEY`.',
      async check() {
        const { warnings } = await withFile(FILE, '/task', { task: 'x' });
        expect(warnings).toContain('LLM_API_KEY');
        expect(warnings).not.toContain('your-api-key-here');
      },
    },
    {
      item: 'port 3000 by default',
      from: 'HN',
      differs: 'The port is 8377 by default: 3000 is taken on most machines of developers.',
      async check({ desk }) {
        expect((await desk.run(['serve', '--help'])).out).toContain('8377');
      },
    },
  ],
};
