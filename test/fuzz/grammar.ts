// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs
import type { Random } from '../fixtures/random.ts';

export type Grammar = Readonly<Record<string, readonly string[]>>;

/** Alternatives by symbol. `<name>` refers to a symbol; the first alternative of each ends soonest. */
const EXPRESSIONS: Grammar = {
  name: ['a', 'b', 'fs', 'callMCPTool', 'x1', '变', '$', '_'],
  literal: ['1', '"s"', "'it\\'s'", '`t`', '`t${<expression>}t`', '/r+/g', 'null', '0x1F', '1_000n', 'true', 'this'],
  expression: [
    '<literal>',
    '<name>',
    '(<expression>)',
    '<expression> + <expression>',
    '<expression> ?? <expression>',
    '<expression> ? <expression> : <expression>',
    '<name>(<expression>, <expression>)',
    '<expression>.<name>',
    '<expression>?.[<expression>]',
    '[<expression>, ...<expression>]',
    '({ <name>: <expression>, [<expression>]: <expression> })',
    '(<name>) => <expression>',
    'async ({ <name> = <expression> }) => { <statement> }',
    'await <expression>',
    'new <name>(<expression>)',
    '<expression> in <expression>',
    '<expression> instanceof <name>',
    '<name>`<name>${<expression>}`',
    'typeof <expression>',
    '!<expression>',
    'function* <name>() { yield <expression> }',
    'class <name> { #<name> = <expression>; get <name>() { return <expression> } }',
    'import(<expression>)',
    'await callMCPTool("files__read", { <name>: <expression> })',
  ],
  statement: [
    ';',
    '<expression>;',
    'const <name> = <expression>;',
    'let { <name>, ...<name> } = <expression>;',
    'if (<expression>) { <statement> } else <statement>',
    'for (const <name> of <expression>) { <statement> }',
    'while (<expression>) break;',
    'try { <statement> } catch { <statement> } finally { <statement> }',
    'switch (<expression>) { case <expression>: <statement> default: }',
    'return <expression>;',
    '<name>: { <statement> }',
    'export const <name> = <expression>;',
    'export default <expression>;',
    "import { <name> } from './servers/files/index.js';",
    "import * as <name> from '/workspace/<name>.ts';",
    'export { <name> as <name> };',
    'async function <name>(<name>, ...<name>) { <statement> }',
    'throw <expression>;',
    '<statement>\n<statement>',
  ],
  program: ['<statement>', '<statement>\n<statement>\n<statement>', '```ts\n<statement>\n```', '#!/x\n<statement>'],
};

const TYPES: Grammar = {
  type: [
    'string',
    '<name>',
    '<type>[]',
    '{ <name>?: <type>; readonly <name>: <type> }',
    '<type> | <type>',
    '(<name>: <type>) => <type>',
    'Promise<<type>>',
    '<type> extends <type> ? <type> : never',
    '{ [K in keyof <type>]: <type> }',
    '`a${<type>}`',
    '[<type>, ...<type>]',
    'typeof <name>',
    'unique symbol',
  ],
};

export const JAVASCRIPT: Grammar = EXPRESSIONS;

export const TYPESCRIPT: Grammar = {
  ...EXPRESSIONS,
  ...TYPES,
  expression: [
    ...(EXPRESSIONS.expression ?? []),
    '<expression> as <type>',
    '<expression> satisfies <type>',
    '<expression>!',
    '<name><<type>>(<expression>)',
    '(<name>: <type>): <type> => <expression>',
  ],
  statement: [
    ...(EXPRESSIONS.statement ?? []),
    'type <name> = <type>;',
    'interface <name><<name>> extends <name> { <name>(): <type> }',
    'enum <name> { <name>, <name> = <expression> }',
    'const <name>: <type> = <expression>;',
    'export default async function main({ <name> = <expression> }: { <name>?: <type> }): Promise<<type>> { <statement> }',
    'abstract class <name> { constructor(private <name>: <type>) { super() } declare <name>: <type> }',
    'declare global { <statement> }',
    'namespace <name> { <statement> }',
    '@<name> class <name> { accessor <name> = <expression> }',
    'using <name> = <expression>;',
    'import type { <name> } from "./<name>";',
    'function <name>(<name>: <type>): asserts <name> is <type>;',
  ],
};

export const JSX: Grammar = {
  ...EXPRESSIONS,
  expression: [
    ...(EXPRESSIONS.expression ?? []),
    '<<name> <name>={<expression>}>{<expression>} text</<name>>',
    '<></>',
    '<<name>.<name> {...<expression>} />',
  ],
};

export const PYTHON: Grammar = {
  name: ['a', 'b', 'call_mcp_tool', '变', '_x'],
  expression: [
    '1',
    '<name>',
    '"""t\n"""',
    "f'{<expression>!r:>{<expression>}}'",
    'rb"\\x"',
    '(<expression>)',
    '[<expression> for <name> in <expression> if <expression>]',
    '{<expression>: <expression>, **<expression>}',
    '<expression> + <expression>',
    '<expression> if <expression> else <expression>',
    'lambda <name>, *<name>: <expression>',
    'await <expression>',
    '<name>(<name>=<expression>, *<expression>)',
    '<expression>[<expression>:<expression>]',
    'not <expression>',
    '(<name> := <expression>)',
  ],
  statement: [
    'pass',
    '<expression>',
    '<name> = <expression>',
    'result = <expression>',
    'def <name>(<name>: <expression> = <expression>, *, <name>=1) -> <expression>:\n    <statement>',
    'async def <name>():\n    return <expression>',
    'if <expression>:\n    <statement>\nelif <expression>: <statement>',
    'class <name>(<name>):\n\tdef <name>(self): <statement>',
    'from servers.<name> import <name>',
    'match <expression>:\n    case [<name>, *_]: <statement>',
    'with <expression> as <name>: <statement>',
    'for <name> in <expression>:\n  <statement>',
    'return <expression>  # <name>',
    '@<name>\ndef <name>(): <statement>',
    'x = [\n<expression>, # c\n<expression>]',
    '<statement>; <statement>',
    '<statement>\n<statement>',
  ],
  program: ['<statement>', '<statement>\n<statement>\n<statement>', '```python\n<statement>\n```'],
};

/** Returns a random text of a grammar. After `depth` levels, only first alternatives are taken. */
export function derive(grammar: Grammar, random: Random, depth: number, symbol = 'program'): string {
  const alternatives = grammar[symbol];
  if (!alternatives) return `<${symbol}>`;
  const chosen = depth <= 0 ? (alternatives[0] ?? '') : random.pick(alternatives);
  return chosen.replaceAll(/<(\w+)>/g, (_all, name: string) => derive(grammar, random, depth - 1, name));
}
