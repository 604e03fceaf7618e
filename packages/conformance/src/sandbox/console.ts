import assert from 'node:assert/strict';
import { completesWith, dataOf, type SandboxCase } from './case.ts';

/** The output of a program while it runs, and its clock. */
export const CONSOLE_CASES: readonly SandboxCase[] = [
  {
    area: 'api',
    name: 'console methods have their levels and readable text',
    programs: {
      typescript: `console.log('text', 1, true, null, undefined, { a: [1, 'x'] });
console.debug('d'); console.info('i'); console.warn('w'); console.error(new TypeError('bad'));
const loop = { name: 'loop' }; loop.self = loop;
console.log(loop, new Map([[1, 2]]), new Set([3]), [1, [2, [3]]], () => 1, Symbol('s'), 10n, Promise.resolve());`,
    },
    check({ result }) {
      assert.deepEqual(
        result.logs.map(({ level }) => level),
        ['info', 'debug', 'info', 'warn', 'error', 'info'],
      );
      assert.equal(result.logs[0]?.text, 'text 1 true null undefined {a: [1, "x"]}');
      assert.equal(result.logs[4]?.text, 'TypeError: bad');
      assert.match(
        result.logs[5]?.text ?? '',
        /\[circular\].*Map \{1 => 2\} Set \{3\} \[1, \[2, \[3\]\]\].*Symbol\(s\) 10n/,
      );
    },
  },
  {
    area: 'api',
    name: 'the console has groups, counters, timers, assertions and substitutions',
    programs: {
      typescript: `console.log('%s has %d of %i items, %f %%, %j', 'cart', '42', '7.9 kg', '1.5', { a: 1 }, 'rest', { b: 2 });
console.log(); console.log('100 %', 5); console.log('%s'); console.log('%s and %s', 'one'); console.log('%cred', 'color: red');
console.group('totals', 1); console.log('two\\nlines'); console.group(); console.warn({ deep: true }); console.groupEnd(); console.groupEnd();
console.log('out'); console.assert(1 === 1, 'never'); console.assert(1 > 2, 'because %s', 'no'); console.assert(false);
console.count(); console.count('x'); console.count(); console.countReset(); console.count();
console.time('t'); console.timeLog('t', 'half'); console.timeEnd('t'); console.timeEnd('t'); console.dir({ a: 1 }, { depth: 1 }); console.clear();`,
    },
    check({ result }) {
      assert.deepEqual(
        result.logs.map(({ level, text }) => [level, text.replace(/\d+ ms/, 'N ms')]),
        [
          ['info', 'cart has 42 of 7 items, 1.5 %, {"a":1} rest {b: 2}'],
          ...['', '100 % 5', '%s', 'one and %s', 'red', 'totals 1', '  two\n  lines'].map((text) => ['info', text]),
          ['warn', '    {deep: true}'],
          ['info', 'out'],
          ['error', 'Assertion failed: because no'],
          ['error', 'Assertion failed'],
          ...['default: 1', 'x: 1', 'default: 2', 'default: 1', 't: N ms half', 't: N ms'].map((text) => [
            'info',
            text,
          ]),
          ['warn', 'There is no timer "t": call console.time("t") first.'],
          ['info', '{a: 1}'],
        ],
      );
    },
  },
  {
    area: 'api',
    name: 'logs are kept when the program fails',
    programs: {
      typescript: "console.log('before'); throw new Error('x')",
      python: `print("before")
raise ValueError("x")`,
    },
    check({ result }) {
      assert.deepEqual([result.status, result.logs], ['failed', [{ level: 'info', text: 'before' }]]);
    },
  },
  {
    area: 'api',
    name: 'progress reaches the caller in order',
    programs: {
      typescript: "progress(1); progress({ done: 2, of: 3 }); progress('three'); return 0",
      python: `progress(1)
progress({"done": 2, "of": 3})
progress("three")`,
    },
    check({ progress }) {
      assert.deepEqual(progress, [1, { done: 2, of: 3 }, 'three']);
    },
  },
  {
    area: 'api',
    name: 'sleep waits',
    programs: {
      typescript: 'await sleep(100); await utils.sleep(100); return 1',
      python: `import asyncio
await sleep(0.1)
await asyncio.sleep(0.1)
return 1`,
    },
    check({ result }) {
      assert.equal(dataOf(result), 1);
      assert.ok(result.stats.runMs >= 195, `${result.stats.runMs} ms`);
    },
  },
  completesWith(
    'api',
    'utils parse JSON and return the time',
    `return [utils.parseJSON('{"a":1}'), parseJSON('\`\`\`json\\n[1]\\n\`\`\`'), parseJSON({ b: 2 }), /^\\d{4}-\\d\\d-\\d\\dT/.test(utils.timestamp()), Math.abs(Date.now() - new Date(timestamp())) < 5000];`,
    [{ a: 1 }, [1], { b: 2 }, true, true],
  ),
  completesWith(
    'api',
    'timers run in order and can be cleared',
    `const seen = [];
setTimeout((x) => seen.push(x), 60, 'late');
setTimeout(() => seen.push('early'), 5);
const dead = setTimeout(() => seen.push('never'), 5);
clearTimeout(dead);
let ticks = 0;
const interval = setInterval(() => { if (++ticks === 2) clearInterval(interval) }, 5);
await new Promise((resolve) => setTimeout(resolve, 150));
return [seen, ticks];`,
    [['early', 'late'], 2],
  ),
  completesWith(
    'api',
    'microtasks run before timers',
    `const seen = [];
setTimeout(() => seen.push('timer'), 0);
queueMicrotask(() => seen.push('microtask'));
Promise.resolve().then(() => seen.push('promise'));
await sleep(50);
return seen;`,
    ['microtask', 'promise', 'timer'],
  ),
];
