import { type Tool, toolId } from '@toolwright/connectors';
import type { Language, NamedFunction, ProgramNames } from '@toolwright/sandbox';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import type { NamedTools } from '../../tool-calls/call.ts';

/** The tools that a program and its modules name in their text. Data that the program receives adds none. */
export interface ToolNames extends NamedTools {
  /** Adds the names of the program, or of a module of it. */
  add(names: ProgramNames | Promise<ProgramNames>): void;
}

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
