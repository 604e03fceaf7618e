import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { ToolwrightError } from '../errors.ts';
import { type ConfigProblem, isObject, pathText } from './problems.ts';

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
    const reason = words(printParseErrorCode(first.error));
    throw invalidConfig(file, [{ path: [], text: `not valid JSON at ${where}: ${reason}` }]);
  }
  const root: unknown = tree === undefined ? undefined : getNodeValue(tree);
  if (!isObject(root)) throw invalidConfig(file, [{ path: [], text: `expected an object such as ${EXAMPLE}` }]);
  return root;
}

/** Returns the error `CONFIG_INVALID` with all problems of a file. */
export function invalidConfig(file: string, problems: readonly ConfigProblem[]): ToolwrightError {
  const lines = problems.map(({ path, text }) => (path.length === 0 ? text : `${pathText(path)}: ${text}`));
  const title = `${file} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:`;
  return new ToolwrightError('CONFIG_INVALID', [title, ...lines.map((line) => `  ${line}`)].join('\n'), {
    details: { file, problems: lines },
  });
}

function words(camelCase: string): string {
  return camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
