import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { until } from '../fixtures/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/first-ten-minutes.md');
const SOURCE = 'https://github.com/toolwright/toolwright';
/** A goal of the page: it has to stay short. */
const MOST_COMMANDS = 10;
/** The build takes minutes where other tests run. */
const TIMEOUT_MS = 900_000;

/** Returns the commands of the page, one each, up to the one that sets it up. */
function commandsOfPage(): string[] {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const setup = blocks.findIndex((text) => text.includes('toolwright init'));
  return blocks.slice(0, setup + 1).flatMap((text) => text.trim().split(/\n| && /));
}

/** Installs without a registry: from npm's cache, or from the installed packages of this checkout where the cache lacks some. */
function install(clone: string, env: NodeJS.ProcessEnv): string {
  const { status } = spawnSync('npm', ['ci', '--offline'], { cwd: clone, env });
  if (status === 0) return 'npm ci';
  const owners = ['.', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)];
  for (const folder of owners
    .map((owner) => join(owner, 'node_modules'))
    .filter((path) => existsSync(join(ROOT, path))))
    cpSync(join(ROOT, folder), join(clone, folder), { recursive: true, verbatimSymlinks: true });
  return 'copied packages, because the cache of npm lacks some';
}

browserTests.describe('a newcomer with a browser', () => {
  const home = temporaryFolder();
  const project = join(home, 'my-project');
  const prefix = join(home, 'npm');
  // npm of the test sets its own folders for everything that it starts.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^TOOLWRIGHT_/i.test(name));
  const env = {
    ...Object.fromEntries(own),
    ...{ HOME: home, XDG_STATE_HOME: join(home, 'state'), PATH: `${prefix}/bin:${process.env.PATH}` },
    ...{ npm_config_prefix: prefix, npm_config_cache: cacheOfNpm() },
  };
  let browser: Awaited<ReturnType<typeof startBrowser>>;

  beforeAll(async () => {
    mkdirSync(project);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    const server = join(home, 'state/toolwright/server.json');
    if (existsSync(server)) process.kill(JSON.parse(readFileSync(server, 'utf8')).pid);
  });

  browserTests.it(
    'follows the page from a clone to the first approved write',
    async () => {
      const commands = commandsOfPage();
      expect(commands.length).toBeLessThanOrEqual(MOST_COMMANDS);
      const started = performance.now();
      let folder = home;
      let packages = '';
      let shown = { stdout: '', stderr: '' };
      for (const command of commands) {
        if (command.startsWith('cd ')) folder = resolve(folder, command.slice(3).replace(/^~/, home));
        else if (command === 'npm ci') packages = install(folder, env);
        else {
          const local = command
            .replace(SOURCE, `${ROOT} toolwright`)
            .replace('toolwright init', 'toolwright init --yes --port 0');
          shown = await promisify(execFile)('sh', ['-ec', local], { cwd: folder, env });
        }
      }
      expect(existsSync(join(project, 'notes.md'))).toBe(false);

      const link = /^http:\/\/127\.0\.0\.1:\d+\/#token=\S+/m.exec(shown.stdout)?.[0] ?? '';
      const { page, problems } = await openPage(browser, link);
      await page.getByRole('link', { name: /Approvals/ }).click();
      const question = page.getByRole('main');
      await question.getByText('My first approved write').first().waitFor();
      await question
        .getByRole('button', { name: /^Approve/ })
        .first()
        .click();
      await until(() => existsSync(join(project, 'notes.md')));
      expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('My first approved write\n');
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Executions' }).click();
      await page.getByRole('main').getByText('completed').nth(1).waitFor();
      expect(problems).toEqual([]);
      const seconds = Math.round((performance.now() - started) / 1000);
      console.info(`a newcomer with a browser: ${commands.length} commands (${packages}), ${seconds} s`);
    },
    TIMEOUT_MS,
  );
});

/** Returns the folder of the packages that npm has downloaded before. */
function cacheOfNpm(): string {
  return spawnSync('npm', ['config', 'get', 'cache'], { cwd: ROOT }).stdout.toString().trim();
}
