import { expect, test } from 'vitest';
import { OUTLETS } from './outlets.ts';
import { PRODUCT, read } from './sources.ts';

/** Calls that send something to a client, a model, a reader of a command, or a program. */
const CALLS: readonly (readonly [files: RegExp, calls: RegExp])[] = [
  [
    /^packages\/server\/src\/(?!.*conformance\/)/,
    /\b(registerTool|registerResource|registerPrompt|setRequestHandler|sendLoggingMessage|SkillsExtension|instructions:|elicit\(|mcpReq\.(?:log|notify|send)|model\.answer|context\.(?:json|body|text|html)\(|streamEvents\(|problemResponse\(|socket\.end\()/g,
  ],
  [
    /^packages\/(?:toolwright|n8n)\/src\/(?!.*conformance\/)/,
    /\b((?:output\.)?out\(|console\.\w+\(|std(?:out|err)\.write\(|stream\.write\(|writeFile\()/g,
  ],
  // Requests of a program, and methods that an embedding program or an interface calls.
  [
    /^packages\/core\/src\/execution\/(?:guest\/)?(?:guest-(?:host|operations)|value-operations)\.ts$/,
    /^ {4,6}(?:async (?=\w+\()|(?=\w+: ))(\w+)(?=\(|: (?:async )?\([^)]*\) =>|: (?:async )?\w+ =>|: [\w.]+\()/gm,
  ],
  [
    /^packages\/core\/src\/(?:api|[\w/]+\/(?:executions|listed-execution|session))\.ts$/,
    /^ {2}(?:readonly )?(\w+)(?=[(<])/gm,
  ],
];

/** Returns each kind of call in a file, with its number. */
function outletsIn(path: string, text: string): string[] {
  const counts = new Map<string, number>();
  for (const [files, calls] of CALLS) {
    if (!files.test(path)) continue;
    for (const [, call = ''] of text.replaceAll(/^import .*$/gm, '').matchAll(calls)) {
      const name = call.replace(/^output\./, '').replace(/\($/, '');
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, count]) => `${path}: ${name}${count === 1 ? '' : ` × ${count}`}`);
}

test('every outlet of the server, the core and the command line is known, with its redaction', () => {
  const found = PRODUCT.flatMap((path) => outletsIn(path, read(path)));
  expect(found.sort()).toEqual([...OUTLETS.keys()].sort());
});

test.each([
  ['packages/server/src/http/new.ts', 'return context.json({ text }, 200);', 'context.json'],
  ['packages/server/src/mcp/new.ts', "server.registerPrompt('x', {}, run);", 'registerPrompt'],
  ['packages/toolwright/src/commands/new.ts', 'output.out(text);', 'out'],
  ['packages/toolwright/src/commands/new.ts', 'process.stdout.write(text);', 'stdout.write'],
  ['packages/core/src/execution/guest/guest-operations.ts', '    prompt: async (name) => readPrompt(name),', 'prompt'],
  ['packages/core/src/api.ts', '  prompts(name: string): Promise<string>;', 'prompts'],
])('a new outlet in %s is found', (path, line, name) => {
  expect(outletsIn(path, line)).toEqual([`${path}: ${name}`]);
});
