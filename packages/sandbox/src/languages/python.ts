import { languageWorkers } from '../language-workers/shared.ts';
import type { Language } from './language.ts';
import { withoutFence } from './markdown-fence.ts';
import type { LanguageOperations } from './operations.ts';

const BYTE_ORDER_MARK = /^\uFEFF/;
const WATCH_LINE = '#toolwright watch ';

/**
 * Creates the Python language. A program is a module: a variable `result`, a `return` or the last expression gives its result.
 * Top-level `await` works. A Markdown code fence around the whole program is ignored. The host does not parse the source: the
 * guest does, and reports syntax errors as `SYNTAX`. A language worker reads the names of tools in it.
 */
export function pythonLanguage(tenant = ''): Language {
  const { run, warm } = languageWorkers<LanguageOperations>();
  // Starts a worker early, because its start is slow.
  warm();
  const names = (source: string) => run('pythonNames', { source }, { tenant });
  return {
    name: 'python',
    guest: 'python',
    async prepare(text, { isPlain = false } = {}) {
      const source = withoutFence(text.replace(BYTE_ORDER_MARK, ''));
      return {
        guest: 'python',
        // The guest parses the program, so it rewrites the expressions. A watched program reports what they read.
        code: isPlain && !source.startsWith(WATCH_LINE) ? `${source}\n#toolwright plain` : source,
        source,
        namespaces: new Map(),
        ...(await run('preparePython', { source }, { tenant })),
        position: (line, column) => ({ line, column }),
      };
    },
    // The guest parses the program, so it inserts the calls. The first line of the text requests them.
    watched: async (source, watched) =>
      `${WATCH_LINE}${JSON.stringify(watched)}\n${withoutFence(source.replace(BYTE_ORDER_MARK, ''))}`,
    prepareModule: async (source) => source.replace(BYTE_ORDER_MARK, ''),
    flow: (source) => run('pythonFlow', { source }, { tenant }),
    names,
    functions: (source) => run('pythonFunctions', { source }, { tenant }),
    moduleOf: (program, options) => run('pythonModule', { program, options }, { tenant }),
    forTenant: pythonLanguage,
  };
}
