import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Part, Row } from '../row.ts';

const root = new URL('../../../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: Record<string, string>;
};

/** A script of npm. `.ci/run` and the tests of the documents run it. */
const script = (name: string, from: string): Row => ({
  item: `\`npm run ${name}\``,
  from,
  check: () => expect(scripts).toHaveProperty(name),
});

/** A page of the documents, and where its subject is described here. */
const page = (item: string, path: string, text: string): Row => ({
  item,
  from: 'HNS',
  check: () => expect(readFileSync(new URL(path, root), 'utf8')).toContain(text),
});

export const REPOSITORY: Part = {
  title: 'Commands, folders and pages',
  rows: [
    {
      item: '`npm install`',
      from: 'HNS',
      check: () => expect(existsSync(new URL('package-lock.json', root))).toBe(true),
    },
    ...['build', 'start', 'dev', 'clean', 'type-check', 'test', 'lint'].map((name) => script(name, 'HNS')),
    {
      item: '`npm run build-sandbox`',
      from: 'HNS',
      differs: 'The default sandboxes need no image. The sandbox `docker` builds its image itself when it is missing.',
      check: () => expect(readFileSync(new URL('docs/sandboxes.md', root), 'utf8')).toMatch(/image/),
    },
    {
      item: '`npm run prepare-workspace`',
      from: 'HN',
      differs: 'Folders of sessions are created when they are needed, in the data folder.',
      async check({ run }) {
        expect(await run(`return (await fs.stat('/workspace')).isDirectory()`)).toBe(true);
      },
    },
    {
      item: '`python3 -m venv`, `pip install`, `msb server start --dev`',
      from: 'PM',
      differs:
        'Nothing is installed for Python: `npx toolwright` has a Python interpreter, and the jail uses the one of the machine.',
      async check({ run }) {
        expect(await run('result = 1 + 1', { language: 'python' })).toBe(2);
      },
    },
    {
      item: 'examples in Python: basic call, chaining, filtering, control flow, state, skills',
      from: 'P',
      check: () =>
        expect(readdirSync(new URL('examples/python', root))).toEqual(
          expect.arrayContaining([
            'basic_call.py',
            'chaining.py',
            'filtering.py',
            'control_flow.py',
            'state.py',
            'skills.py',
          ]),
        ),
    },
    {
      item: '`skills/examples/` with `template-skill` and `data-processor`',
      from: 'N',
      async check({ desk }) {
        const added = await desk.run(['skills', 'add', new URL('skills', root).pathname, '--json']);
        const names = JSON.parse(added.out).skills.map(({ name }: { name: string }) => name);
        expect(names).toEqual(expect.arrayContaining(['template-skill', 'data-processor']));
      },
    },
    {
      item: '`.env.example`',
      from: 'S',
      check: () => expect(readFileSync(new URL('.env.example', root), 'utf8')).toContain('LLM_MODEL'),
    },
    {
      item: '`servers/`, `skills/` and `workspace/` as folders of the repository',
      from: 'HNPM',
      differs:
        'They exist for programs, as `/servers`, `/skills` and `/workspace`. On the host, each user has folders of their own in the data folder.',
      async check({ run }) {
        const code = `return Promise.all(['/servers', '/skills', '/workspace'].map(async (path) => (await fs.stat(path)).isDirectory()))`;
        expect(await run(code)).toEqual([true, true, true]);
      },
    },
    page('`docs/PHILOSOPHY.md`', 'docs/philosophy.md', 'skill'),
    page('`docs/QUICK_START.md`', 'README.md', 'npx'),
    page('`docs/ARCHITECTURE.md`, `docs/IMPLEMENTATION_GUIDE.md`', 'ARCHITECTURE.md', 'bridge'),
    page('`docs/SECURITY.md`', 'SECURITY.md', 'sandbox'),
    page('`docs/DEPLOYMENT.md`', 'docs/deployment.md', 'systemd'),
    page('`docs/API_EXAMPLES.md`', 'docs/http-api.md', 'curl'),
    page('`docs/EXAMPLE_SKILL_CREATION.md`', 'docs/skills.md', 'SKILL.md'),
    page('`docs/EXAMPLE_DYNAMIC_DISCOVERY.md`', 'docs/guest.md', 'search_tools'),
    page('`docs/n8n_implementation.md`', 'docs/n8n.md', 'searchNodes'),
    page('`DOCUMENTATION.md` of the Python implementation', 'docs/sessions.md', 'log'),
    page('`Dockerfile`, `docker-compose.yml`', 'deploy/compose.yaml', 'services'),
  ],
};
