import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GUEST_FOLDER } from '@toolwright/sandbox';
import { parseExact } from '@toolwright/sandbox/internal';
import type { ToolwrightError } from '../../errors.ts';
import type { ExportedTest } from './exported.ts';
import { PYTHON_RUNTIME } from './python-runtime.ts';

/** The code that would do something else in a test than in a sandbox. */
const NOT_EXPORTED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:run_skill|load_skill)\b/, 'it uses skills'],
  [/\b(?:exit|quit)\s*\(|\bSystemExit\b/, 'it ends itself'],
  [/^\s*from\s+(?:__future__\s|\S+\s+import\s+\*)/m, 'it imports names that a function cannot import'],
  [/asyncio\.(?:run|Runner|new_event_loop|get_event_loop)\b|run_until_complete/, 'it starts an event loop'],
  [/\b(?:exec|eval|__import__|import_module)\s*\(/, 'it creates code or imports modules while it runs'],
  [/\b(?:sys\.modules|builtins|__main__|globals\(|vars\()/, 'it uses the modules of the interpreter'],
  [
    /(?<!\b(?:sorted|len)\()\b(?:set|frozenset)\s*\(|\{[^{}:]*\bfor\b[^{}]*\}|\{\s*[^\s{}:*][^{}:*]*,[^{}:]*\}/,
    'the order of its sets differs from run to run',
  ],
];
const OPERATIONS: ReadonlySet<string> = new Set([
  'call',
  'list',
  'details',
  'search',
  'derive',
  'execution',
  'show',
  'resources',
]);

/** Returns the text of a Python test, for pytest and for \`python -m unittest\`. */
export function pythonTest(exported: ExportedTest, refuse: (reason: string) => ToolwrightError): string {
  const { executionId, module, requests, modules, outcome } = exported;
  for (const [pattern, reason] of NOT_EXPORTED) if (pattern.test(module)) throw refuse(reason);
  const other = requests.find(
    ({ request: [name] }) => !OPERATIONS.has(String(name)) && !String(name).startsWith('fs.'),
  );
  if (other?.request[0] === 'sleep') throw refuse('it waits for a time');
  if (other) throw refuse(`it uses ${other.request[0]}`);
  if (requests.some(({ request: [name] }) => String(name).startsWith('fs.'))) throw refuse('it uses files');
  const sources = [...modules].filter(([path]) => path !== '/servers/__init__.py');
  return `"""Toolwright exported this test from execution ${executionId}. Its journal answers the tools.

Run it with pytest, or with: python -m unittest FILE
"""
${PYTHON_RUNTIME}

${guestText('details.py')}


${valuesText()}


# The requests of the program with their answers, in the order in which it received them.
RECORDED = ${literal(requests, '')}

# The end of the program.
EXPECTED = ${literal(expectedOf(exported), '')}

# The modules of servers, as the program imported them.
MODULES = ${literal(Object.fromEntries(sources.map(([path, source]) => [moduleName(path), source])), '')}


# The program.
${module.trimEnd()}


class ExportedTest(unittest.IsolatedAsyncioTestCase):
    async def test_makes_the_recorded_calls_and_has_the_recorded_${outcome.status === 'failed' ? 'error' : 'result'}(self):
        self.maxDiff = None
        install_modules()
        JOURNAL.open()
        outcome = await outcome_of(main)
        self.assertEqual(JOURNAL.calls, recorded_calls())
        self.assertEqual(outcome, EXPECTED)


if __name__ == "__main__":
    unittest.main()
`;
}

/** Returns the module of a program with its imports in the main function: no name of the program is one of the test. */
export function pythonFunction(module: string): string {
  const at = module.search(/^(?:async )?def main\(/m);
  const imports = module.slice(0, at).trim();
  const [head = '', description = '', ...body] = module.slice(at).split('\n');
  const moved = imports === '' ? [] : imports.split('\n').map((line) => (line === '' ? '' : `    ${line}`));
  return [head, description, ...moved, ...body].join('\n');
}

function expectedOf({ outcome, hasOwnMessage }: ExportedTest): unknown {
  if (outcome.status === 'completed') {
    return { status: 'completed', value: outcome.value === undefined ? null : parseExact(outcome.value) };
  }
  const { name, message } = outcome.error;
  return { status: 'failed', name, message: hasOwnMessage ? message : undefined };
}

function moduleName(path: string): string {
  return path.slice(1).replace(/\.py$/, '').replaceAll('/', '.');
}

/** Returns a file of the guest runtime itself, without its description. */
function guestText(name: string): string {
  const text = readFileSync(join(GUEST_FOLDER, 'python', name), 'utf8');
  return text.replace(/^"""[\s\S]*?"""\n/, '').trimEnd();
}

/** Returns the file for values without the values of packages: the modules of a test are those of its author. */
function valuesText(): string {
  const withoutPackages = `OTHER = object()


def package_value(_value):
    return OTHER`;
  return guestText('results/values.py').replace('from .tables import OTHER, package_value', withoutPackages);
}

/** Returns JSON data as a Python expression. */
function literal(value: unknown, indent: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => `${inner}${literal(item, inner)},\n`)
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${literal(item, inner)},\n`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join('')}${indent}${close}`;
}
