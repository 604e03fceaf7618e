import type { Tool } from '@toolwright/connectors';
import type { Language } from '@toolwright/sandbox';
import type { ProgramTypes, ToolTypes, TypeSource } from '@toolwright/sandbox/internal';
import { checkedModule, checkedTools } from '../../catalog/signatures/typescript/checked-types.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ReadableFiles } from '../../workspaces/files.ts';
import { guestPath, isMissing, parseGuestPath } from '../../workspaces/paths.ts';
import type { Packages } from '../packages/packages.ts';

export interface ProgramTypesOptions {
  readonly catalog: UserCatalog;
  readonly language: Language;
  /** The files that the program can read and import. */
  readonly files: ReadableFiles;
  readonly packages: Packages;
  readonly maxFileBytes: number;
}

/** Only the prepared text of such a module has exports that the check knows. */
const COMMON_JS = /\bexports\b/;
/** Milliseconds that a check waits for a server to list its tools; calls of a slower server are not checked. */
const TOOLS_WAIT_MS = 5_000;

/** Returns the types that a check of a program needs, read when the checker asks for them. */
export function programTypes({ catalog, language, files, packages, maxFileBytes }: ProgramTypesOptions): ProgramTypes {
  const read = async (path: string): Promise<TypeSource> => {
    const text = (await files.read(path, maxFileBytes)).toString('utf8');
    // A file that does not parse raises its error when the program imports it.
    const prepared = await language.prepareModule(text, path);
    return { text: COMMON_JS.test(text) ? prepared : text, path };
  };
  return {
    server: (slug) =>
      orUnavailable(async () => {
        const { tools } = await catalog.toolsOf(slug);
        return { text: await checkedModule(tools), path: `/servers/${slug}/index.ts` };
      }),
    tools: (names) => toolTypes(names, catalog),
    async packageTypes(specifier) {
      if ((await packages.module(specifier)) === undefined) return undefined;
      return (await packages.types(specifier).catch(() => undefined)) ?? new Map();
    },
    file: (path) =>
      orUnavailable(async () => {
        const parts = parseGuestPath(path);
        const isRooted = ['workspace', 'skills', 'servers'].includes(parts[0] ?? '');
        const own = guestPath(isRooted ? parts : ['workspace', ...parts]);
        // In TypeScript, an import of `./lib.js` refers to `lib.ts`. A tool's file needs no extension.
        const asTypescript = parts[0] === 'servers' ? /(?:\.[jt]s)?$/ : /\.js$/;
        const found = await read(own).catch((error: unknown) => {
          if (!asTypescript.test(own) || !isMissing(error)) throw error;
          return read(own.replace(asTypescript, '.ts'));
        });
        if (typeof found === 'string') return found;
        return { text: found.text, path: found.path.slice(isRooted ? 0 : '/workspace'.length) };
      }),
  };
}

async function toolTypes(names: readonly string[], catalog: UserCatalog): Promise<ToolTypes> {
  const unknown: string[] = [];
  const found = await Promise.all(
    names.map(async (name): Promise<Tool[]> => {
      try {
        const tool = await within(catalog.tool(name));
        return tool === undefined ? [] : [catalog.withObserved(tool)];
      } catch (error) {
        if (error instanceof ToolwrightError && error.code === 'UNKNOWN_TOOL') unknown.push(name);
        return [];
      }
    }),
  );
  return { declarations: checkedTools(found.flat()), unknown };
}

async function orUnavailable(get: () => Promise<TypeSource>): Promise<TypeSource> {
  try {
    return (await within(get())) ?? 'unavailable';
  } catch (error) {
    const isUnknown = error instanceof ToolwrightError && error.code === 'UNKNOWN_SERVER';
    return isUnknown || isMissing(error) ? 'missing' : 'unavailable';
  }
}

async function within<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TOOLS_WAIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
