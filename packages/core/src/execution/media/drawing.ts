import type { StdioOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createSlots } from '@toolwright/sandbox/internal';
import { startProcess } from '@toolwright/sandbox/processes';
import { ToolwrightError } from '../../errors.ts';

const DRAW = fileURLToPath(new URL('draw.js', import.meta.url));
const MAX_HEAP_MIB = 512;
/** Memory that the process may write to. */
const MAX_DATA_KIB = 2 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
/** Characters of a chart or an SVG. */
export const MAX_DRAWN_CHARACTERS = 8 * 1024 * 1024;
/** Processes that draw at once; more pictures wait. */
const slots = createSlots(2);

interface Answer {
  readonly png?: string;
  readonly svg?: string;
  readonly problem?: string;
  readonly isMissing?: boolean;
}

/** Returns whether a value is a Vega-Lite or Vega chart. */
export function isChart(value: unknown): value is Readonly<Record<string, unknown>> {
  const { $schema } = Object(value);
  return typeof $schema === 'string' && /\/vega(?:-lite)?\//.test($schema);
}

/**
 * Draws a Vega-Lite or Vega chart as SVG, in a separate process. Raises `INVALID_ARGUMENTS` for a chart that is wrong, too large or
 * loads data, and `NOT_SUPPORTED` if the packages for charts are not installed.
 */
export async function drawChart(chart: Readonly<Record<string, unknown>>): Promise<string> {
  requireSize('chart', JSON.stringify(chart).length, 'Aggregate its data first, or draw it with a library as PNG.');
  const { svg, problem, isMissing } = await draw({ chart });
  if (svg !== undefined) return svg;
  if (!isMissing) throw new ToolwrightError('INVALID_ARGUMENTS', `The chart cannot be drawn: ${problem}.`);
  const message =
    'Vega-Lite charts are not installed. The user runs: npm install vega vega-lite vega-interpreter. Until then, show an SVG text.';
  throw new ToolwrightError('NOT_SUPPORTED', message);
}

/** Draws an SVG as PNG, in a process of its own. Returns the reason if it cannot be drawn. */
export async function drawSvg(svg: string): Promise<Buffer | { readonly problem: string }> {
  if (svg.length > MAX_DRAWN_CHARACTERS) return { problem: `it has more than ${MAX_DRAWN_CHARACTERS} characters` };
  const { png, problem = '', isMissing } = await draw({ svg });
  if (png !== undefined) return Buffer.from(png, 'base64');
  return {
    problem: isMissing ? 'to draw SVG for models, the user runs: npm install sharp' : `it cannot be drawn (${problem})`,
  };
}

/** Raises `INVALID_ARGUMENTS` for a text that is too large to be drawn. */
export function requireSize(what: string, characters: number, fix: string): void {
  if (characters <= MAX_DRAWN_CHARACTERS) return;
  const message = `The ${what} has ${characters} characters; the limit is ${MAX_DRAWN_CHARACTERS}. ${fix}`;
  throw new ToolwrightError('INVALID_ARGUMENTS', message);
}

function draw(request: object): Promise<Answer> {
  return slots.run(
    () =>
      new Promise<Answer>((resolve) => {
        const child = startLimited((error) => end({ problem: error.message }));
        const late = setTimeout(() => end({ problem: `it took longer than ${TIMEOUT_MS / 1_000} s` }), TIMEOUT_MS);
        const end = (answer: Answer) => {
          clearTimeout(late);
          child.kill('SIGKILL');
          resolve(answer);
        };
        child.once('message', (answer) => end(answer as Answer));
        child.once('exit', () => end({ problem: 'it needs too much memory' }));
        child.send(request, (error) => error && end({ problem: error.message }));
      }),
  );
}

/** Starts the process. A shell sets its memory limit and is replaced by it. Windows has only the limit of V8. */
function startLimited(onError: (error: Error) => void) {
  const flags = ['--no-warnings', `--max-old-space-size=${MAX_HEAP_MIB}`, DRAW];
  const limited = `ulimit -c 0; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`;
  const [command, args] =
    process.platform === 'win32' ? [process.execPath, flags] : ['/bin/sh', ['-c', limited, process.execPath, ...flags]];
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
  return startProcess(command, args, { env: {}, stdio, windowsHide: true }, onError);
}
