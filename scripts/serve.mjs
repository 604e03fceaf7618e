// npm start: serves the configuration of this folder, else the demo's. Further arguments are those of "toolwright serve".
// npm run dev (--watch): the same. After a change of a source, it builds again, and starts the server again if that succeeds.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, 'packages/toolwright/dist/cli.js');
const demo = join(root, 'examples/demo/toolwright.json');
/** Editors write a file in several steps. */
const SETTLE_MS = 200;

const watches = process.argv.includes('--watch');
const given = process.argv.slice(2).filter((argument) => argument !== '--watch');
const names = ['toolwright.json', '.mcp.json'].map((name) => join(process.cwd(), name));
const isConfigured =
  process.env.TOOLWRIGHT_CONFIG || given.includes('--config') || names.some((name) => existsSync(name));
if (!isConfigured) console.error(`No configuration in ${process.cwd()}: serving the demo, ${demo}`);
const args = [cli, 'serve', ...(isConfigured ? [] : ['--config', demo]), ...given];

// Anyone who runs the scripts of a folder trusts its files.
const env = { ...process.env, TOOLWRIGHT_TRUST: process.env.TOOLWRIGHT_TRUST || process.cwd() };
let server = start();
let isEnding = false;

function start() {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  child.once('exit', (code, signal) => {
    // With --watch, a server that fails waits for the next change.
    if (!watches || isEnding) process.exit(code ?? (signal ? 1 : 0));
  });
  return child;
}

async function restart() {
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (built.status !== 0) return;
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  console.error('Started again after a change.');
  server = start();
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isEnding = true;
    if (server.exitCode !== null || server.signalCode !== null) process.exit(0);
    // A terminal sends SIGINT to the server too.
    if (signal === 'SIGTERM') server.kill(signal);
  });
}

if (watches) {
  let timer;
  for (const name of readdirSync(join(root, 'packages'))) {
    const sources = join(root, 'packages', name, 'src');
    if (!existsSync(sources)) continue;
    watch(sources, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(restart, SETTLE_MS);
    });
  }
}
