import type { Language } from './language.ts';
import { withoutFence } from './markdown-fence.ts';
import { pythonFunctions } from './python-functions.ts';
import { pythonModule } from './python-module.ts';

const BYTE_ORDER_MARK = /^\uFEFF/;

/**
 * Python as a guest language. A program is a module: a variable `result`, a `return` or else the last expression gives its
 * result; top-level `await` works. A program that comes inside one Markdown code fence is taken out of it. The source is
 * data here: it is parsed and compiled in the guest, which reports what does not parse as `SYNTAX`.
 */
export function pythonLanguage(): Language {
  return {
    name: 'python',
    guest: 'python',
    async prepare(text) {
      const source = withoutFence(text.replace(BYTE_ORDER_MARK, ''));
      return {
        guest: 'python',
        code: source,
        source,
        namespaces: new Map(),
        position: (line, column) => ({ line, column }),
      };
    },
    prepareModule: async (source) => source.replace(BYTE_ORDER_MARK, ''),
    functions: async (source) => pythonFunctions(source),
    moduleOf: async (program, options) => pythonModule(withoutFence(program.replace(BYTE_ORDER_MARK, '')), options),
  };
}
