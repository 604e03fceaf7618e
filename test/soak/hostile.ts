import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from './clients.ts';

const PAUSE_MS = 250;
const LIMITS = { timeoutMs: 3_000 };

const bomb = (size: number) => `type Build<N extends number, T extends unknown[] = []> =
  T['length'] extends N ? T : Build<N, [...T, unknown]>;
type Add<A extends number, B extends number> = [...Build<A>, ...Build<B>]['length'];
type Digit = 0|1|2|3|4|5|6|7|8|9; type Wide = \`\${Digit}\${Digit}\${Digit}\${Digit}\`;
${Array.from({ length: 20 }, (_, at) => `let a${at}: { [K in Wide]: Add<${size + at}, 900> };`).join('\n')}
if (false) await callMCPTool('a__b'); return 1;`;

/** Writes a skill and a module that no parser survives, and uses them. */
const WRITES = `await fs.mkdir('/skills/bad', { recursive: true });
await fs.writeFile('/skills/bad/SKILL.md', '---\\nname: bad\\ndescription: Bad.\\n---\\n');
await fs.writeFile('/skills/bad/index.ts', "export default 'a'+" + '\`\`'.repeat(100_000));
await fs.writeFile('/workspace/m.ts', 'export const a = ' + '\`\`'.repeat(100_000));
return import('/workspace/m.ts')`;

/** Programs that must end alone: endless ones, large ones, and sources that parsers and the compiler do not survive. */
const PROGRAMS: readonly { readonly language: string; readonly code: string }[] = [
  ...[
    'for (;;) {}',
    'await new Promise(() => {})',
    'const kept: unknown[] = []; for (;;) kept.push(new Array(1e5).fill({}))',
    'const kept: unknown[] = []; for (;;) kept.push(new Uint8Array(1e7).fill(1))',
    "for (;;) console.log('x'.repeat(10_000))",
    "return 'x'.repeat(40_000_000)",
    "for (let i = 0; ; i++) void callMCPTool('pipe__large', { id: 'none' }).catch(() => 0), i % 100 || (await sleep(1))",
    `'a'+${'``'.repeat(100_000)}`,
    `return a${' in a'.repeat(100_000)}`,
    `return a${' instanceof a'.repeat(35_000)}`,
    `return a${' as a'.repeat(120_000)}`,
    `type A = ${'A<'.repeat(200_000)}`,
    'let x = 1; '.concat('x as number;'.repeat(5_000)),
    `return ${'['.repeat(200_000)}`,
    bomb(600),
    WRITES,
    "return run_skill('bad')",
  ].map((code) => ({ language: 'typescript', code })),
  ...[
    'while True: pass',
    'kept = []\nwhile True: kept.append(bytearray(10_000_000))',
    'while True: print("x" * 10_000)',
    `return ${'('.repeat(100_000)}`,
    `return a${' in a'.repeat(100_000)}`,
    'import os\nfor _ in range(1000):\n    os.fork()',
  ].map((code) => ({ language: 'python', code })),
];

/** Sends hostile programs, one after the other, and lists the skills in between. */
export async function attackUntil(signal: AbortSignal, { requests, random }: Work): Promise<void> {
  for (let index = random.integer(0, PROGRAMS.length - 1); !signal.aborted; index++) {
    const program = PROGRAMS[index % PROGRAMS.length];
    await requests.send('/execute', { json: { ...program, limits: LIMITS } });
    requests.count('hostile programs');
    await requests.send('/skills?query=bad');
    await sleep(PAUSE_MS);
  }
}
