// Runs one case in one peer, and prints its verdict as JSON: node case.mjs PEER SETTINGS CASE
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { DATA } from '../proof/programs.mjs';
import { CASES } from './cases.mjs';

const LIMIT_MS = 10_000;
const [peer, settings, name] = process.argv.slice(2);
const { program, right, http } = CASES[name];
const file = join(mkdtempSync(join(tmpdir(), 'toolwright-reports-')), 'sent.jsonl');
const args = [fileURLToPath(new URL('server.mjs', import.meta.url)), name, file];

/** Returns the entry of a configuration of servers: a command, or the address of a server that runs. */
async function serverOf() {
  if (http === undefined) return { command: process.execPath, args };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill());
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { url: line.trim() };
}

/** Returns the data of a result: peers return it in different shapes. */
function dataOf(result) {
  const blocks = result?.content;
  return result?.structuredContent ?? (Array.isArray(blocks) ? blocks.map((block) => block.text).join('\n') : result);
}

function isEqual(found, wanted) {
  if (isDeepStrictEqual(found, wanted)) return true;
  // A peer that returns the text of a result leaves reading to the program, which is as right.
  try {
    return typeof found === 'string' && /^[[{"]/.test(found) && isDeepStrictEqual(JSON.parse(found), wanted);
  } catch {
    return false;
  }
}

/** Returns `right`, or the wrong value or error. */
function verdictOf({ value, error }) {
  const found = dataOf(value);
  const sent = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (error !== undefined) {
    const isNamed = right.words?.some((word) => error.toLowerCase().includes(word.toLowerCase()));
    return isNamed ? 'right' : `error: ${error}`;
  }
  if (right.sent !== undefined) return sent.includes(right.sent) ? 'right' : `WRONG: sent ${sent || 'nothing'}`;
  if (right.contains !== undefined && JSON.stringify(found)?.includes(right.contains)) return 'right';
  if ('value' in right && isEqual(found, right.value)) return 'right';
  return `WRONG: ${JSON.stringify(found)}`;
}

const isOurs = peer === 'toolwright';
const outcome = await (async () => {
  const { open } = await import(`../peers/adapters/${peer}.mjs`);
  const { dialect, run } = await open(await serverOf(), JSON.parse(settings));
  const code = program({ call: dialect.call, data: (call) => (isOurs ? call : `data(${call})`) });
  return { value: await run(isOurs || !code.includes('data(') ? code : `${DATA}\n${code}`, LIMIT_MS) };
})().catch((error) => ({ error: String(error?.message ?? error) }));
process.stdout.write(`${JSON.stringify({ verdict: verdictOf(outcome) })}\n`, () => process.exit());
