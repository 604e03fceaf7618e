/** A function of a server's module: the server as the program writes it, and the function. */
export type NamedFunction = readonly [server: string, name: string];

/** The tools that a source text names. No value that a program receives can add to them. */
export interface ProgramNames {
  /** Text literals that can be the name of a tool, or a part of it that the program joins with others. */
  readonly texts: readonly string[];
  /** Functions of server modules, imported or as members of an imported module. */
  readonly functions: readonly NamedFunction[];
}

/** The names of a text that names no tool. */
export const NO_NAMES: ProgramNames = { texts: [], functions: [] };

/** Collects the names of one source text. */
export interface NameCollector {
  text(value: string): void;
  /** Adds a member that the program reads by name from any value. */
  member(name: string): void;
  function(server: string, name: string): void;
  /** Notes a module whose members the program reads by a value: each of its texts can name one. */
  indexed(server: string): void;
  /** Notes a module that the program passes on: each of its texts and members can name a function. */
  passed(server: string): void;
  names(): ProgramNames;
}

/** Maximum nesting of code in text literals. */
export const MAX_NESTING = 3;

const SEPARATOR = '__';
/** Longer texts are no name. */
const MAX_CHARACTERS = 1_000;
const FUNCTION_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$-]*$/u;

/** Returns whether a text can be code that calls tools, such as a skill that the program writes and runs. */
export function mayCallTools(text: string): boolean {
  return /\b(?:callMCPTool|call_mcp_tool|servers)\b/.test(text) && /[\s(]/.test(text);
}

/** Creates a collector without names. */
export function collectNames(): NameCollector {
  const texts = new Set<string>();
  const members = new Set<string>();
  const functions = new Map<string, Set<string>>();
  const indexed = new Set<string>();
  const passed = new Set<string>();
  const add = (server: string, names: Iterable<string>) => {
    const known = functions.get(server) ?? new Set();
    for (const name of names) known.add(name);
    functions.set(server, known);
  };
  return {
    text: (value) => void (value.length <= MAX_CHARACTERS && texts.add(value)),
    member: (name) => void members.add(name),
    function: (server, name) => add(server, [name]),
    indexed: (server) => void indexed.add(server),
    passed: (server) => void passed.add(server),
    names() {
      const asNames = [...texts].filter((text) => FUNCTION_NAME.test(text));
      for (const server of [...indexed, ...passed]) add(server, asNames);
      for (const server of passed) add(server, members);
      return {
        texts: namesAmong([...texts]),
        functions: [...functions].flatMap(([server, names]) => [...names].map((name): NamedFunction => [server, name])),
      };
    },
  };
}

/** Returns the texts that can be names, and if the program writes the separator at the end of a text, those that it may join. */
function namesAmong(texts: readonly string[]): string[] {
  const joins = texts.some((text) => text.startsWith(SEPARATOR) || text.endsWith(SEPARATOR));
  return texts.filter((text) => (joins ? text !== '' && !/\s/.test(text) : text.includes(SEPARATOR)));
}
