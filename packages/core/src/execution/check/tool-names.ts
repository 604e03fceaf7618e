import { type Tool, toolId } from '@toolwright/connectors';
import type { ProgramValues } from '@toolwright/pii/internal';
import type { Language, NamedFunction, ProgramNames } from '@toolwright/sandbox';
import { OPERATIONS } from '@toolwright/sandbox/internal';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import type { RecordedReply } from '../../journal/recording/recording.ts';
import { type SkillOperations, skillOperations } from '../../skills/guest-operations.ts';
import type { GuestSkills } from '../../skills/guest-skills.ts';
import { MAX_CHANGED_PATHS } from '../../workspaces/change-recorder.ts';
import type { Files } from '../../workspaces/files.ts';
import { guestPath, parseGuestPath } from '../../workspaces/paths.ts';
import type { OpenedExecution, ToolNames } from '../execution.ts';
import { createModuleLoader, type ModuleLoader } from '../modules/loader.ts';
import { skillPackageCheck } from '../packages/skill-packages.ts';
import { changedPaths } from '../replay/past-changes.ts';
import { withLiterals } from './program-literals.ts';

const SEPARATOR = '__';

/** Creates the names of a program of which nothing is known yet. */
export function createToolNames(catalog: UserCatalog, language: Language['name']): ToolNames {
  const texts = new Set<string>();
  const functions: NamedFunction[] = [];
  let pending: Promise<void> | undefined;
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
      const all = Promise.all([pending, added]).then(() => {
        if (pending === all) pending = undefined;
      });
      pending = all;
    },
    isNamed: (tool) =>
      pending ? pending.then(() => isText(tool) || isFunction(tool)) : isText(tool) || isFunction(tool),
  };
}

/** A module of the program's own files. Modules of servers are generated, and name all tools. */
const OWN_MODULE = /^(?!.*\/servers\/).+/;

/** The parts of an execution that load its modules and skills. */
interface Loading {
  readonly names: ToolNames;
  readonly files: Files;
  readonly changedFiles: () => readonly string[];
  readonly skills: GuestSkills;
  readonly values: ProgramValues;
  readonly warn: (text: string) => void;
}

/**
 * Opens the loaders of modules and skills. They add the names of each text that they load, and its literals to the values of the
 * program.
 */
export function openLoaders(
  { catalog, context, settings }: OpenedExecution,
  { names, files, changedFiles, skills, values, warn }: Loading,
) {
  const { language, packages } = context;
  const naming = { names, language, changed: changedFiles };
  const advice = (name: string) => packages.advice(language.name, name, context.sandbox.name);
  const load = createModuleLoader({ catalog, files, language, advice, maxBytes: settings.limits.sourceBytes });
  const checkSkill = skillPackageCheck({ packages, language: language.name, read: files.read, warn });
  const loadOwn = withLiterals(withNames(load, naming), values);
  return {
    // The text of a package is no text of the program: nothing reads it here.
    loadModule: async (path: string) => {
      await checkSkill(path);
      return (await packages.module(path)) ?? loadOwn(path);
    },
    skillOperations: withSkillNames(skillOperations(skills, language), naming),
  };
}

/** Opens the names of a program, with those of the texts that it loaded before it was continued. */
export function openToolNames({ catalog, context: { language }, earlier, settings }: OpenedExecution): ToolNames {
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
  readonly names: ToolNames;
  readonly language: Language;
  /** Returns the paths that the program changed. */
  readonly changed: () => readonly string[];
}

/** Returns a loader that adds the names of each module. A file that the program itself changed is data: it adds none. */
function withNames(load: ModuleLoader, { names, language, changed }: NamesOptions): ModuleLoader {
  return async (path) => {
    const source = await load(path);
    if (isOwnModule(path, changed())) names.add(language.names(source));
    return source;
  };
}

/** Returns the operations of skills, which add the names of each skill that the program reads: it may run the text. */
function withSkillNames(skills: SkillOperations, { names, language, changed }: NamesOptions): SkillOperations {
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
  // Another version may have recorded an operation that this one does not know.
  const kind = OPERATIONS[operation]?.class ?? (operation.startsWith('fs.') ? 'write' : 'search');
  if (!ok || kind !== 'write' || operation === 'fs.mkdir') return [];
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
