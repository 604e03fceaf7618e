import { isObject } from '@toolwright/connectors/internal';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { ToolwrightError } from '../errors.ts';
import { type ConfigProblem, linesOf } from './problems.ts';

/** A complete configuration with one server, for messages. */
export const EXAMPLE =
  '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } }';

/** Parses the text of a configuration file: JSON with comments and trailing commas. Raises `CONFIG_INVALID` with the place. */
export function parseConfigText(file: string, text: string): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const tree: Node | undefined = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split('\n');
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    const code = printParseErrorCode(first.error);
    const fix = code === 'InvalidEscapeCharacter' ? '. Write two backslashes for one, as in "C:\\\\tools"' : '';
    const reason = words(code) + fix;
    throw invalidConfig(file, [{ path: [], text: `not valid JSON at ${where}: ${reason}` }]);
  }
  const root: unknown = tree === undefined ? undefined : getNodeValue(withWrittenNumbers(tree, text));
  if (!isObject(root)) throw invalidConfig(file, [{ path: [], text: `expected an object such as ${EXAMPLE}` }]);
  return root;
}

/** Returns the paths of members that an object of a configuration has more than once: JSON keeps the last one without a word. */
export function repeatedMembers(text: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  const visit = (node: Node, path: readonly string[]): void => {
    const names = new Set<string>();
    for (const [key, value] of membersOf(node)) {
      const own = [...path, String(key)];
      if (names.has(String(key))) found.push(own);
      names.add(String(key));
      visit(value, own);
    }
  };
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree) visit(tree, []);
  return found;
}

/** Returns the error `CONFIG_INVALID` with all problems of a file. */
export function invalidConfig(file: string, problems: readonly ConfigProblem[]): ToolwrightError {
  const lines = linesOf(problems);
  const title = `${file} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:`;
  return new ToolwrightError('CONFIG_INVALID', [title, ...lines.map((line) => `  ${line}`)].join('\n'), {
    details: { file, problems: lines },
  });
}

/** Keys of a server whose numbers are texts. */
const TEXT_KEYS: ReadonlySet<unknown> = new Set(['args', 'env', 'headers', 'variables']);

/** Turns numbers into the texts that the file has where a server needs a text: `1.10` and digits beyond 2^53 stay as they are. */
function withWrittenNumbers(tree: Node, text: string): Node {
  const groups = membersOf(tree).filter(([key]) => key === 'mcpServers' || key === 'servers');
  const entries = groups.flatMap(([, group]) => membersOf(group));
  const parts = entries.flatMap(([, entry]) => membersOf(entry)).filter(([key]) => TEXT_KEYS.has(key));
  for (const [, part] of parts) {
    const values = part.type === 'array' ? (part.children ?? []) : membersOf(part).map(([, value]) => value);
    for (const value of values.filter(({ type }) => type === 'number'))
      Object.assign(value, { type: 'string', value: text.slice(value.offset, value.offset + value.length) });
  }
  return tree;
}

function membersOf({ type, children = [] }: Node): [unknown, Node][] {
  if (type !== 'object') return [];
  return children.flatMap(({ children: [key, value] = [] }): [unknown, Node][] => (value ? [[key?.value, value]] : []));
}

function words(camelCase: string): string {
  return camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
