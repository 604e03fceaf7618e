import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { SandboxError } from '../errors.ts';

/** Characters that may open a level of nesting. The parsers' stacks hold about 3,000 levels. */
const OPENING = /[[({<?]|=>/g;
const MAX_OPENINGS = 2_000;
/** Operators that nest when they are chained. The stacks hold more of these. */
const CHAINING =
  /[!~+\-*/%&|^=.:]|\b(?:new|typeof|void|delete|await|yield|do|else|class|extends|keyof|readonly|infer)\b/g;
const MAX_CHAININGS = 15_000;
const CHECK_TIMEOUT_MS = 10_000;

/** Parses in a thread, whose stack is at most as large as the host's. */
const CHECK = `
const { Worker } = require('node:worker_threads');
const text = require('node:fs').readFileSync(0, 'utf8');
new Worker(
  "const { workerData: { parser, text } } = require('node:worker_threads');" +
    "for (const lang of ['js', 'ts']) void require(parser).parseSync('a.' + lang, text, { lang, sourceType: 'module' }).program;",
  { eval: true, workerData: { parser: process.argv[1], text } },
);`;

/**
 * Raises `SYNTAX` for a source that nests so deeply that a parser would overflow its stack, which ends the whole process. Most
 * sources are too small for that; the others are parsed in a temporary process first.
 */
export async function checkNesting(source: string): Promise<void> {
  if (isFew(source, OPENING, MAX_OPENINGS) && isFew(source, CHAINING, MAX_CHAININGS)) return;
  if (await survivesParsing(source)) return;
  throw new SandboxError('SYNTAX', 'The source nests too deeply to be read. Flatten it, or pass data through a file.');
}

function isFew(source: string, pattern: RegExp, limit: number): boolean {
  let count = 0;
  for (const _ of source.matchAll(pattern)) if (++count > limit) return false;
  return true;
}

function survivesParsing(source: string): Promise<boolean> {
  const parser = createRequire(import.meta.url).resolve('oxc-parser');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', CHECK, parser], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: CHECK_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    // A process that died early does not read its whole input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(source);
  });
}
