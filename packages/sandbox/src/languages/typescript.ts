import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { languageWorkers } from '../language-workers/shared.ts';
import type { Language, PreparedSource, SourcePosition } from './language.ts';
import type { LanguageOperations } from './operations.ts';
import type { PreparedText, Shift } from './typescript/prepared-text.ts';

/**
 * Creates the TypeScript and JavaScript language. A program is the body of an async function: `return value`,
 * `export default value` or a last expression gives its result. Static imports, top-level `await` and types work. A Markdown
 * code fence around the whole program is ignored. Sources are parsed in language workers, never in this process.
 */
export function typescriptLanguage(tenant = ''): Language {
  const { run, warm } = languageWorkers<LanguageOperations>();
  // Starts a worker early, because its start is slow.
  warm();
  return {
    name: 'typescript',
    guest: 'javascript',
    prepare: async (text, options = {}) =>
      preparedSource(text, await run('prepareTypescript', { text, ...options }, { tenant })),
    watched: (source, watched) => run('watchTypescript', { source, watched }, { tenant }),
    prepareModule: (source, path) => run('prepareTypescriptModule', { source, path }, { tenant }),
    flow: (source) => run('typescriptFlow', { source }, { tenant }),
    names: (source) => run('typescriptNames', { source }, { tenant }),
    functions: (source) => run('typescriptFunctions', { source }, { tenant }),
    moduleOf: (program, options) => run('typescriptModule', { program, options }, { tenant }),
    forTenant: typescriptLanguage,
  };
}

function preparedSource(text: string, prepared: PreparedText): PreparedSource {
  const { code, source = text, namespaces, names, passesData, reportsReads, shifts, map } = prepared;
  let trace: TraceMap | undefined;
  return {
    guest: 'javascript',
    code,
    source,
    namespaces: new Map(namespaces),
    names,
    passesData,
    reportsReads,
    position(line, column) {
      if (map === undefined) return authorPosition(line, column, shifts);
      trace ??= new TraceMap(map);
      const original = originalPositionFor(trace, { line, column: column - 1 });
      return original.line === null ? undefined : authorPosition(original.line, original.column + 1, shifts);
    },
  };
}

function authorPosition(line: number, column: number, shifts: readonly Shift[]): SourcePosition | undefined {
  if (line < 2) return undefined;
  let moved = 0;
  for (const shift of shifts) {
    if (shift.line !== line - 1) continue;
    const start = shift.column + moved;
    if (column <= start) break;
    if (column < start + shift.added) return { line: line - 1, column: shift.column };
    moved += shift.added - shift.removed;
  }
  return { line: line - 1, column: column - moved };
}
