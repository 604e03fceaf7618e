import { pythonFlow } from './flow/python/python-flow.ts';
import { typescriptFlow } from './flow/typescript-flow.ts';
import type { ModuleOptions, PrepareOptions } from './language.ts';
import { withoutFence } from './markdown-fence.ts';
import { pythonFunctions } from './python/functions.ts';
import { pythonModule } from './python/module.ts';
import { pythonNames } from './python/names.ts';
import { pythonPassesData } from './python/passes-data.ts';
import { expressionsOf } from './typescript/expressions.ts';
import { typescriptFunctions } from './typescript/functions.ts';
import { typescriptModule } from './typescript/module.ts';
import { typescriptNames } from './typescript/names.ts';
import { prepareTypescript, prepareTypescriptModule } from './typescript/prepare.ts';
import { recogniseLanguage } from './typescript/recognition.ts';
import { watchTypescript } from './typescript/watch/watch.ts';
import type { WatchedNames } from './typescript/watch/watch-runtime.ts';
import { readYaml } from './yaml.ts';

/** Maximum functions of a module that are returned. */
const MAX_FUNCTIONS = 200;
const BYTE_ORDER_MARK = /^\uFEFF/;

interface Conversion {
  readonly program: string;
  readonly options: ModuleOptions;
}

/** The operations of a language worker on programs and other texts. Inputs and results are JSON. */
export const languageOperations = {
  recogniseLanguage: ({ text }: { readonly text: string }) => recogniseLanguage(text),
  prepareTypescript: ({ text, ...options }: PrepareOptions & { readonly text: string }) =>
    prepareTypescript(text, options),
  watchTypescript: ({ source, watched }: { readonly source: string; readonly watched: WatchedNames }) =>
    watchTypescript(source, watched),
  prepareTypescriptModule: ({ source, path }: { readonly source: string; readonly path: string }) =>
    prepareTypescriptModule(source, path),
  typescriptFlow: ({ source }: { readonly source: string }) => typescriptFlow(source),
  typescriptNames: ({ source }: { readonly source: string }) => typescriptNames(source),
  typescriptFunctions: ({ source }: { readonly source: string }) => typescriptFunctions(source).slice(0, MAX_FUNCTIONS),
  typescriptModule: ({ program, options }: Conversion) => typescriptModule(program, options),
  preparePython: ({ source }: { readonly source: string }) => ({
    names: pythonNames(source),
    passesData: pythonPassesData(source),
    reportsReads: false,
  }),
  pythonFlow: ({ source }: { readonly source: string }) => pythonFlow(source),
  pythonNames: ({ source }: { readonly source: string }) => pythonNames(source),
  pythonFunctions: ({ source }: { readonly source: string }) => pythonFunctions(source).slice(0, MAX_FUNCTIONS),
  pythonModule: ({ program, options }: Conversion) =>
    pythonModule(withoutFence(program.replace(BYTE_ORDER_MARK, '')), options),
  typescriptExpressions: ({ texts }: { readonly texts: readonly string[] }) => expressionsOf(texts),
  yaml: ({ text }: { readonly text: string }) => readYaml(text),
};

export type LanguageOperations = typeof languageOperations;
