import { withoutFence } from './fence.ts';
import type { Language } from './language.ts';

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
    prepare: async (source) => ({
      guest: 'python',
      code: withoutFence(source.replace(BYTE_ORDER_MARK, '')),
      namespaces: new Map(),
      position: (line, column) => ({ line, column }),
    }),
    prepareModule: async (source) => source.replace(BYTE_ORDER_MARK, ''),
  };
}
