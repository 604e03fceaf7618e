import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, it } from 'vitest';
import { casesFor, runConformanceCase } from './conformance.ts';
import { quickjsSandbox } from './quickjs.ts';

const sandbox = quickjsSandbox();
const options = { kill: killChildren };

afterAll(() => sandbox[Symbol.asyncDispose]());

it.each(casesFor(sandbox, options))('$area: $name', (testCase) => runConformanceCase(sandbox, testCase, options));

function killChildren(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [stat = '', command = ''] = ['stat', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
    const parent = stat.slice(stat.lastIndexOf(')')).split(' ')[2];
    if (Number(parent) === process.pid && command.includes('guest/quickjs.js')) process.kill(Number(pid), 'SIGKILL');
  }
}
