import { SandboxError } from './errors.ts';
import type { LanguageName } from './languages/language.ts';

/** The effect of an operation: it calls a tool, reads or writes files, waits, shows a file to the caller, or looks something up. */
export type OperationClass = 'call' | 'read' | 'write' | 'wait' | 'show' | 'search';

/** A parameter of an operation, as the bridge checks it. An absent one is `null` or missing. */
interface Parameter {
  readonly type: 'text' | 'texts' | 'number' | 'options';
  /** The words of its error after `takes`: `the name of a tool`. */
  readonly takes: string;
  readonly isOptional?: true;
  /** The options by name. Options that are not listed are refused, unless it is `isOpen`. */
  readonly options?: Readonly<Record<string, 'text' | 'number'>>;
  readonly isOpen?: true;
}

/** An operation of the host that a guest may request. */
interface GuestOperation {
  readonly class: OperationClass;
  /** The function of a program that requests it, for errors. */
  readonly function: string;
  /** In order. Absent where the operation checks its own. */
  readonly parameters?: readonly Parameter[];
  /** The number of its first parameters that are paths of changed files; infinite where all leading texts are. */
  readonly changedPaths?: number;
}

/** The operations of the bridge by their name in a request. */
export const OPERATIONS: Readonly<Record<string, GuestOperation>> = {
  call: { class: 'call', function: 'callMCPTool' },
  list: {
    class: 'search',
    function: 'list_mcp_tools',
    parameters: [{ type: 'text', takes: 'a text, which names or servers of tools contain', isOptional: true }],
  },
  details: {
    class: 'search',
    function: 'get_mcp_tool_details',
    parameters: [
      { type: 'text', takes: 'the name of a tool' },
      { type: 'text', takes: 'a text as its category', isOptional: true },
    ],
  },
  search: {
    class: 'search',
    function: 'search_tools',
    parameters: [
      { type: 'texts', takes: 'a text or a list of texts' },
      {
        type: 'options',
        takes: 'an object of options',
        isOptional: true,
        options: { server: 'text', category: 'text', limit: 'number' },
        isOpen: true,
      },
    ],
  },
  resources: {
    class: 'search',
    function: 'list_resources',
    parameters: [
      {
        type: 'options',
        takes: 'an object with server and query',
        isOptional: true,
        options: { server: 'text', query: 'text' },
      },
    ],
  },
  extract: {
    class: 'search',
    function: 'extract',
    parameters: [
      { type: 'text', takes: 'a text' },
      { type: 'options', takes: 'a JSON Schema', isOpen: true },
    ],
  },
  execution: {
    class: 'search',
    function: 'execution',
    parameters: [
      { type: 'text', takes: 'the id of an execution' },
      { type: 'text', takes: '"value" or "logs" as its part', isOptional: true },
    ],
  },
  skill: { class: 'search', function: 'run_skill', parameters: [{ type: 'text', takes: 'the name of a skill' }] },
  skillText: { class: 'search', function: 'load_skill', parameters: [{ type: 'text', takes: 'the name of a skill' }] },
  module: { class: 'search', function: 'import', parameters: [{ type: 'text', takes: 'the path of a module' }] },
  derive: { class: 'search', function: 'pii.derive' },
  match: { class: 'search', function: 'pii.match' },
  transform: { class: 'search', function: 'pii.transform' },
  order: { class: 'search', function: 'pii.sort' },
  age: { class: 'search', function: 'pii.age' },
  equal: { class: 'search', function: 'pii.equal' },
  compute: { class: 'search', function: 'pii' },
  sleep: { class: 'wait', function: 'sleep', parameters: [{ type: 'number', takes: 'a time as a number' }] },
  kept: { class: 'search', function: 'kept values' },
  keptValue: {
    class: 'read',
    function: 'kept values',
    parameters: [
      { type: 'text', takes: 'a hash' },
      { type: 'number', takes: 'an offset' },
    ],
  },
  show: { class: 'show', function: 'show' },
  'fs.readText': { class: 'read', function: 'fs.readFile' },
  'fs.readBytes': { class: 'read', function: 'fs.readFile' },
  'fs.readMany': { class: 'read', function: 'open' },
  'fs.readPart': { class: 'read', function: 'open' },
  'fs.list': { class: 'read', function: 'fs.readdir' },
  'fs.stat': { class: 'read', function: 'fs.stat' },
  'fs.writeText': { class: 'write', function: 'fs.writeFile', changedPaths: 1 },
  'fs.writeBytes': { class: 'write', function: 'fs.writeFile', changedPaths: 1 },
  'fs.appendText': { class: 'write', function: 'fs.appendFile', changedPaths: 1 },
  'fs.appendBytes': { class: 'write', function: 'fs.appendFile', changedPaths: 1 },
  'fs.writeMany': { class: 'write', function: 'open', changedPaths: Number.POSITIVE_INFINITY },
  'fs.writePart': { class: 'write', function: 'open', changedPaths: 1 },
  'fs.removeMany': { class: 'write', function: 'os.remove', changedPaths: Number.POSITIVE_INFINITY },
  'fs.mkdir': { class: 'write', function: 'fs.mkdir', changedPaths: 1 },
  'fs.remove': { class: 'write', function: 'fs.rm', changedPaths: 1 },
  'fs.removeFolder': { class: 'write', function: 'fs.rmdir', changedPaths: 1 },
  'fs.rename': { class: 'write', function: 'fs.rename', changedPaths: 2 },
  'fs.copy': { class: 'write', function: 'fs.copyFile', changedPaths: 2 },
};

const BOTH =
  'list_mcp_tools get_mcp_tool_details get_tool_definition search_tools list_resources read_resource resource_updated servers extract execution load_skill run_skill pii sleep progress show ToolError';

/** The global names of the API of programs, by language. Tests compare them with the declarations and with the guests. */
export const GUEST_NAMES: Readonly<Record<LanguageName, readonly string[]>> = {
  typescript: `callMCPTool ${BOTH} fs utils parseJSON timestamp console`.split(' '),
  python: `call_mcp_tool ${BOTH} read_file write_file list_files`.split(' '),
};

/** Checks the parameters of a request. Raises `INVALID_ARGUMENTS` with the function, the parameter that it takes, and the given type. */
export function checkParameters(name: string, given: readonly unknown[]): void {
  const { function: called, parameters = [] } = OPERATIONS[name] ?? {};
  for (const [index, parameter] of parameters.entries()) {
    const value = given[index];
    if (isAbsent(value) && parameter.isOptional) continue;
    if (!hasType(value, parameter.type)) throw invalid(`${called} takes ${parameter.takes}, got ${typeName(value)}.`);
    if (parameter.type === 'options') checkOptions(String(called), value as object, parameter);
  }
}

function checkOptions(called: string, given: object, { options = {}, isOpen }: Parameter): void {
  for (const [name, value] of Object.entries(given)) {
    const type = Object.hasOwn(options, name) ? options[name] : undefined;
    if (type === undefined && !isOpen) {
      // Not with its name: the program may have it from a value.
      throw invalid(`${called} has only these options: ${Object.keys(options).join(', ')}.`);
    }
    if (type === undefined || isAbsent(value) || hasType(value, type)) continue;
    throw invalid(`The option ${name} of ${called} is a ${type}, got ${typeName(value)}.`);
  }
}

function hasType(value: unknown, type: Parameter['type']): boolean {
  if (type === 'text') return typeof value === 'string';
  if (type === 'number') return typeof value === 'number';
  if (type === 'options') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === 'string' || (Array.isArray(value) && value.every((text) => typeof text === 'string'));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (!Array.isArray(value)) return typeof value;
  const other = value.find((each) => typeof each !== 'string');
  return other === undefined ? 'a list' : `a list with ${typeName(other)}`;
}

function invalid(message: string): SandboxError {
  return new SandboxError('INVALID_ARGUMENTS', message);
}
