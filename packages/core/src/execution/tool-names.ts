import type { Language, NamedFunction, ProgramNames } from '@toolwright/sandbox';
import { type Tool, toolId } from '../catalog/tool.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { RecordedReply } from '../journal/recording.ts';
import { MAX_CHANGED_PATHS } from '../workspaces/change-recorder.ts';
import { guestPath, parseGuestPath } from '../workspaces/paths.ts';
import type { SkillOperations } from '../skills/guest-operations.ts';
import type { Execution } from './execution.ts';
import type { ModuleLoader } from './modules/loader.ts';
import { changedPaths } from './past-changes.ts';

/** The tools that a program and its modules name in their text. Data that the program receives adds none. */
export interface ToolNames {
  /** Adds the names of the program, or of a module of it. */
  add(names: ProgramNames | Promise<ProgramNames>): void;
  /** Returns whether the text names a tool: by its whole name, by its server and its own name, or by its function. */
  isNamed(tool: Tool): Promise<boolean>;
}

const SEPARATOR = '__';
/** A module of the program's own files. Modules of servers are generated, and name all tools. */
const OWN_MODULE = /^(?!.*\/servers\/).+/;
const CHANGE = /^fs\.(?!read|stat|list|mkdir)/;

/** Creates the names of a program of which nothing is known yet. */
export function createToolNames(catalog: Pick<UserCatalog, 'functionOf'>, language: Language['name']): ToolNames {
  const texts = new Set<string>();
  const functions: NamedFunction[] = [];
  let pending: Promise<void> = Promise.resolve();
  const include = (names: ProgramNames) => {
    for (const text of names.texts) texts.add(text);
    functions.push(...names.functions);
  };
  const isText = ({ id, server, definition: { name } }: Tool) => {
    if (texts.has(id)) return true;
    if (id !== toolId(server, name)) return false;
    const hasServer = texts.has(server + SEPARATOR) || (texts.has(server) && texts.has(SEPARATOR));
    return (texts.has(name) && hasServer) || (texts.has(server) && texts.has(SEPARATOR + name));
  };
  const isFunction = (tool: Tool) =>
    functions.some(([server, name]) => catalog.functionOf(server, name, language)?.id === tool.id);
  return {
    add(names) {
      if ('texts' in names) return include(names);
      // Names of a text that could not be read are missing: calls that need them are refused.
      const added = names.then(include, () => undefined);
      pending = Promise.all([pending, added]).then(() => undefined);
    },
    async isNamed(tool) {
      await pending;
      return isText(tool) || isFunction(tool);
    },
  };
}

/** Opens the names of a program, with those of the modules that it imported before it was continued. */
export function openToolNames({
  catalog,
  context: { language },
  earlier,
  settings,
}: Pick<Execution, 'catalog' | 'context' | 'earlier' | 'settings'>): ToolNames {
  const names = createToolNames(catalog, language.name);
  const replies = earlier?.recording.replies ?? settings.fork?.replies ?? [];
  const changed = replies.flatMap(changesOf);
  for (const { operation, parameters, ok, payload } of replies) {
    const path = operation === 'module' ? String(parameters?.[0] ?? '') : skillPath(parameters?.[0]);
    const isText = ok && ['module', 'skillText'].includes(operation);
    if (isText && isOwnModule(path, changed)) names.add(language.names(JSON.parse(payload)));
  }
  return names;
}

interface NamesOptions {
  readonly names: Pick<ToolNames, 'add'>;
  readonly language: Pick<Language, 'names'>;
  /** Returns the paths that the program changed. */
  readonly changed: () => readonly string[];
}

/** Returns a loader that adds the names of each module. A file that the program itself changed is data: it adds none. */
export function withNames(load: ModuleLoader, { names, language, changed }: NamesOptions): ModuleLoader {
  return async (path) => {
    const source = await load(path);
    if (isOwnModule(path, changed())) names.add(language.names(source));
    return source;
  };
}

/** Returns the operations of skills, which add the names of each skill that the program reads: it may run the text. */
export function withSkillNames(skills: SkillOperations, { names, language, changed }: NamesOptions): SkillOperations {
  return {
    ...skills,
    async text(name) {
      const text = await skills.text(name);
      if (isOwnModule(skillPath(name), changed())) names.add(language.names(text));
      return text;
    },
  };
}

function skillPath(name: unknown): string {
  return `/skills/${name}`;
}

/** Returns the paths that a request of the past changed; the root if the journal does not have them. */
function changesOf({ operation, parameters, ok }: RecordedReply): string[] {
  if (!ok || !CHANGE.test(operation)) return [];
  try {
    const paths = changedPaths(JSON.stringify([operation, ...(parameters ?? [])]));
    return paths.length === 0 ? ['/'] : paths.map((path) => guestPath(parseGuestPath(path)));
  } catch {
    // A redacted path may be none.
    return ['/'];
  }
}

function isOwnModule(path: string, changed: readonly string[]): boolean {
  if (!OWN_MODULE.test(path) || changed.length >= MAX_CHANGED_PATHS) return false;
  const own = comparable(path);
  const isInside = (inner: string, outer: string) => outer === '' || `${inner}/`.startsWith(`${outer}/`);
  return !changed.map(comparable).some((each) => isInside(own, each) || isInside(each, own));
}

/** Returns a path without its ending, and without the differences between a file and the module that a program imports. */
function comparable(path: string): string {
  const inWorkspace = path.replace(/^\/(?:workspace(?:\/|$))?/, '');
  return inWorkspace.replace(/\.\w+$/, '').replaceAll('-', '_');
}
