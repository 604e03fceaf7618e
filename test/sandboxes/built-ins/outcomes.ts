import { execFileSync } from 'node:child_process';
import { runCode, type Sandbox } from '../../../packages/sandbox/src/index.ts';

/** The outcome of an expression: a value, or the name and the code of an error. */
export type Outcome = { readonly value: unknown } | { readonly error: string; readonly code?: string };

/** Converts values to JSON that differs where they differ. */
const PLAIN = `
const plain = (value) => {
  if (value === undefined) return '«undefined»';
  if (typeof value === 'bigint') return '«' + value + 'n»';
  if (typeof value === 'number' && !Number.isFinite(value)) return '«' + value + '»';
  if (Object.is(value, -0)) return '«-0»';
  if (typeof value === 'symbol' || typeof value === 'function') return '«' + typeof value + '»';
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return '«Date ' + value.getTime() + '»';
  if (value instanceof RegExp) return '«' + value + '»';
  if (value instanceof Error) return { error: value.name, message: value.message };
  if (value instanceof ArrayBuffer) return { buffer: [...new Uint8Array(value)] };
  if (ArrayBuffer.isView(value)) return { bytes: [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)] };
  if (value instanceof Map) return { map: [...value].map(plain) };
  if (value instanceof Set) return { set: [...value].map(plain) };
  if (Array.isArray(value)) return Array.from(value, plain);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};
const outcome = async (work) => {
  try { return { value: plain(await work()) } } catch (error) {
    const code = error?.code;
    return { error: String(error?.name ?? error), ...(typeof code === 'string' ? { code } : {}) };
  }
};`;

/** As in the guests: errors that nobody awaits are ignored, and a signal that waits keeps the program. */
const PROCESS = `
for (const name of ['uncaughtException', 'unhandledRejection']) process.on(name, () => undefined);
setInterval(() => undefined, 1_000);`;

/** Returns a program whose variable `outcomes` has the outcomes of expressions. */
export function programOf(expressions: readonly string[], imports: string): string {
  const each = expressions.map((expression) => `await outcome(async () => (${expression}))`);
  return `${imports}\n${PLAIN}\nconst outcomes = [\n${each.join(',\n')}\n];`;
}

/** Returns the outcomes of expressions in this Node, in a process of its own. In texts, its folder is `/workspace`. */
export function inNode(expressions: readonly string[], imports = '', cwd = process.cwd()): readonly Outcome[] {
  const program = `${programOf(expressions, `${imports}\n${PROCESS}`)}\nprocess.stdout.write(JSON.stringify(outcomes), () => process.exit());`;
  const text = execFileSync(process.execPath, ['--no-warnings', '--input-type=module'], { input: program, cwd });
  return JSON.parse(text.toString('utf8').replaceAll(cwd, '/workspace'));
}

/** Returns the outcomes of expressions in a sandbox. */
export async function inSandbox(
  sandbox: Sandbox,
  expressions: readonly string[],
  imports = '',
): Promise<readonly Outcome[]> {
  const result = await runCode<Outcome[]>(`${programOf(expressions, imports)}\nreturn outcomes;`, { sandbox });
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  return result.value;
}

/** Returns the outcomes by their expressions, so that a difference names its expression. */
export function byExpression(expressions: readonly string[], outcomes: readonly Outcome[]): Record<string, Outcome> {
  return Object.fromEntries(
    expressions.map((expression, index) => [expression, outcomes[index] ?? { error: 'missing' }]),
  );
}
