import type { CheckRequest } from '../checkers/typescript/check.ts';
import { importsOf } from '../checkers/typescript/outline.ts';
import { typescriptFlow } from '../languages/flow/typescript-flow.ts';
import type { ModuleOptions } from '../languages/language.ts';
import { withoutFence } from '../languages/markdown-fence.ts';
import { pythonFunctions } from '../languages/python/functions.ts';
import { pythonModule } from '../languages/python/module.ts';
import { pythonNames } from '../languages/python/names.ts';
import { pythonPassesData } from '../languages/python/passes-data.ts';
import { expressionsOf } from '../languages/typescript/expressions.ts';
import { typescriptFunctions } from '../languages/typescript/functions.ts';
import { typescriptModule } from '../languages/typescript/module.ts';
import { typescriptNames } from '../languages/typescript/names.ts';
import { prepareTypescript, prepareTypescriptModule } from '../languages/typescript/prepare.ts';
import { recogniseLanguage } from '../languages/typescript/recognition.ts';
import { watchTypescript } from '../languages/typescript/watch/watch.ts';
import type { WatchedNames } from '../languages/typescript/watch/watch-runtime.ts';
import { readYaml } from '../languages/yaml.ts';

/** Maximum functions of a module that are returned. */
const MAX_FUNCTIONS = 200;
const BYTE_ORDER_MARK = /^\uFEFF/;

interface Conversion {
  readonly program: string;
  readonly options: ModuleOptions;
}

/** All operations of a language worker. Inputs and results are JSON. Libraries of single operations load on demand. */
export const operations = {
  recogniseLanguage: ({ text }: { readonly text: string }) => recogniseLanguage(text),
  prepareTypescript: ({ text, keeps }: { readonly text: string; readonly keeps?: boolean | undefined }) =>
    prepareTypescript(text, keeps),
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
  }),
  pythonNames: ({ source }: { readonly source: string }) => pythonNames(source),
  pythonFunctions: ({ source }: { readonly source: string }) => pythonFunctions(source).slice(0, MAX_FUNCTIONS),
  pythonModule: ({ program, options }: Conversion) =>
    pythonModule(withoutFence(program.replace(BYTE_ORDER_MARK, '')), options),
  typescriptImports: ({ source }: { readonly source: string }) => importsOf(source),
  typescriptCheck: async (request: CheckRequest) =>
    (await import('../checkers/typescript/check.ts')).checkTypescript(request),
  typescriptExpressions: ({ texts }: { readonly texts: readonly string[] }) => expressionsOf(texts),
  yaml: ({ text }: { readonly text: string }) => readYaml(text),
};

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = Parameters<Operations[Name]>[0];
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;
