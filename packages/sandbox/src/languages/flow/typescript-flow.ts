import { isNode, type Node, parseProgram } from '../typescript/parse.ts';
import type { ProgramFlow } from './flow.ts';
import { TooComplex, UNKNOWN } from './graph.ts';
import { nodesOf, type Scope } from './scope.ts';
import { serverOf } from './sites.ts';
import { StatementFlow } from './statements.ts';
import { readFacts } from './syntax.ts';
import { TYPESCRIPT_WORDS } from './words.ts';

const MAX_CHARACTERS = 100_000;

/** Returns the flow of a TypeScript or JavaScript program. Sound: the analysis gives up at syntax that it does not know. */
export function typescriptFlow(source: string): ProgramFlow {
  if (source.length > MAX_CHARACTERS) return undefined;
  const parsed = parseProgram(source);
  if (parsed.problem) return undefined;
  try {
    const body = nodesOf(parsed.body);
    return new TypescriptFlow(readFacts(body), TYPESCRIPT_WORDS).run(body);
  } catch (error) {
    if (error instanceof TooComplex || error instanceof RangeError) return undefined;
    throw error;
  }
}

class TypescriptFlow extends StatementFlow {
  protected import({ source, specifiers, importKind }: Node, scope: Scope): void {
    if (importKind === 'type') return;
    const path = isNode(source) ? String(source.value) : '';
    const server = serverOf(path);
    if (server === undefined && !/^(?:node:)?(?:fs|fs\/promises|path|url|util|crypto|buffer|assert)$/.test(path))
      throw new TooComplex();
    for (const { type, local, imported } of nodesOf(specifiers)) {
      const name = isNode(local) ? String(local.name) : '';
      const cell = this.graph.cell(UNKNOWN);
      if (server === undefined) scope.names.set(name, { cell });
      else if (type === 'ImportSpecifier' && isNode(imported)) {
        scope.names.set(name, { cell, tool: `${server}__${String(imported.name ?? imported.value)}` });
      } else scope.names.set(name, { cell, server });
    }
  }
}
