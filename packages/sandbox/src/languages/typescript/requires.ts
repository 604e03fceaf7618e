import { isBuiltin } from 'node:module';
import { GUEST_MODULES } from './guest-modules.ts';
import { allNodes, isNode, type Node, type ProgramStatement } from './parse.ts';

/** A call such as `require('fs')`, and the package or module of Node that it names. */
interface RequireCall {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

const MAY_REQUIRE = /\brequire\s*\(/;
const OWN_REQUIRE = /\b(?:const|let|var|function)\s+require\b/;

/** Returns whether a program declares `require` itself. */
export function declaresRequire(source: string): boolean {
  return OWN_REQUIRE.test(source);
}

/**
 * Returns the module that a call of `require` names. Undefined for files, tools, other modules of Node, and names that only a run
 * knows.
 */
export function requiredModule(node: Node): string | undefined {
  const callee = node.callee;
  const [name, ...others] = Array.isArray(node.arguments) ? node.arguments : [];
  if (!isNode(callee) || callee.type !== 'Identifier' || callee.name !== 'require') return undefined;
  if (others.length > 0 || !isNode(name) || name.type !== 'Literal' || typeof name.value !== 'string') return undefined;
  const isMissing = isBuiltin(name.value) && !GUEST_MODULES.has(name.value.replace(/^node:/, ''));
  return /^[./]/.test(name.value) || isMissing ? undefined : name.value;
}

/**
 * Returns the imports that a program's calls of `require` become, and the edits that replace the calls: the guests have only ES modules.
 * The default export of a module has the exports of CommonJS.
 */
export function convertRequires(source: string, body: readonly ProgramStatement[]) {
  const calls = MAY_REQUIRE.test(source) && !declaresRequire(source) ? requireCalls(body) : [];
  const names = [...new Set(calls.map(({ name }) => name))];
  return {
    imports: names.map((name, index) => {
      const imported = `__module${index}`;
      return `import * as ${imported} from ${JSON.stringify(name)};const __require${index}=${imported}.default??${imported}`;
    }),
    edits: calls.map(({ start, end, name }) => {
      const text = `__require${names.indexOf(name)}`;
      // The text after a call keeps its line, and its column where the call is long enough.
      const rest = source.slice(start, end).replaceAll(/[^\n\r]/g, ' ');
      return { start, end, text: text + rest.replace(new RegExp(`^ {0,${text.length}}`), '') };
    }),
  };
}

function requireCalls(body: readonly ProgramStatement[]): RequireCall[] {
  const calls = [...allNodes(body)].flatMap((node): RequireCall[] => {
    const name = node.type === 'CallExpression' ? requiredModule(node) : undefined;
    return name === undefined ? [] : [{ start: Number(node.start), end: Number(node.end), name }];
  });
  return calls.sort((a, b) => a.start - b.start);
}
