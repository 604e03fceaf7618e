// Writes packages/sandbox/src/sandboxes/jail/syscalls.ts: the numbers of the system calls that the jail's policy names, from the kernel's
// headers (linux-libc-dev). Run it after a change of the policy: npm run build && node scripts/syscall-numbers.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { POLICIES } from '../packages/sandbox/build/sandboxes/jail/policy.js';

const TARGET = join(
  dirname(dirname(fileURLToPath(import.meta.url))),
  'packages/sandbox/src/sandboxes/jail/syscalls.ts',
);
/** arm64 uses the generic table. Where that has variants, it uses the variant for 64-bit systems. */
const HEADERS = ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm-generic/unistd.h'];

function numbersOf(header) {
  const numbers = new Map();
  for (const [, name, number] of readFileSync(header, 'utf8').matchAll(/^#define\s+(__NR\w+)\s+(\d+)$/gm)) {
    numbers.set(name.replace(/^__NR(3264)?_/, ''), number);
  }
  if (numbers.has('fstatat')) numbers.set('newfstatat', numbers.get('fstatat'));
  return numbers;
}

const tables = HEADERS.map(numbersOf);
const names = Object.values(POLICIES).flatMap(({ allowed, checked, refused }) => [
  ...allowed,
  ...checked.map(({ call }) => call),
  ...refused,
]);
const rows = [...new Set(names)].sort().map((name) => {
  const numbers = tables.map((table) => table.get(name) ?? 'undefined');
  if (numbers.every((number) => number === 'undefined'))
    throw new Error(`The system call ${name} does not exist. Correct the policy.`);
  return `  ${name}: [${numbers.join(', ')}],`;
});
writeFileSync(
  TARGET,
  `// Made by scripts/syscall-numbers.mjs from the kernel's headers; do not edit.

/** Numbers of the system calls that the policy names: x64, arm64. Undefined where an architecture lacks one. */
export const SYSCALL_NUMBERS: Readonly<Record<string, readonly [number | undefined, number | undefined]>> = {
${rows.join('\n')}
};
`,
);
console.log(`${rows.length} system calls`);
