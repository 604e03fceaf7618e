import { ToolwrightError } from '@toolwright/core/errors';
import { isObject } from '../../json.ts';

/** A connection between two nodes. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** Connection type: `main`, `ai_tool`, … */
  readonly type: string;
  /** Number of the output among those of the type, from 0. */
  readonly output: number;
  readonly input: number;
}

/** A connection as a program writes it. The ports are names or numbers; the missing ones are found by the node types. */
export interface WrittenLink {
  readonly from: string;
  readonly to: string;
  readonly type?: string | undefined;
  readonly output?: string | number | undefined;
  readonly input?: string | number | undefined;
}

/** One end of a connection in text form: `If [true]`, `Model (ai_languageModel)`. */
interface End {
  readonly name: string;
  readonly port?: string;
  readonly type?: string;
}

/** Keys of a connection. */
export const LINK_KEYS = ['from', 'to', 'output', 'input', 'type'];
const FORMS = 'Write "A -> B", "If [true] -> B" or {from: "If", output: "true", to: "B", input: 0, type: "main"}.';

/** Returns a text that only equal connections share. */
export function linkKey({ from, to, type, output, input }: Link): string {
  return JSON.stringify([from, to, type, output, input]);
}

/**
 * Parses a connection: `"If [true] -> Merge [Input 2]"`, `["A", "B"]` or `{from, to, output?, input?, type?}`. `names` are the
 * names of the nodes, which may contain arrows and brackets. Raises `INVALID_ARGUMENTS`.
 */
export function readLink(value: unknown, names: ReadonlySet<string>): WrittenLink {
  if (typeof value === 'string') return readText(value, names);
  if (Array.isArray(value)) {
    const [from, to] = value;
    if (value.length === 2 && typeof from === 'string' && typeof to === 'string') return { from, to };
    throw unreadable(value);
  }
  if (!isObject(value)) throw unreadable(value);
  const unknown = Object.keys(value).find((key) => !LINK_KEYS.includes(key));
  if (unknown !== undefined) {
    const message = `A connection has no key "${unknown}". Its keys are: ${LINK_KEYS.join(', ')}. ${FORMS}`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const { from, to, output, input, type } = value;
  if (typeof from !== 'string' || typeof to !== 'string') throw unreadable(value);
  if (type !== undefined && typeof type !== 'string') throw unreadable(value);
  return { from, to, type, output: readPort(output, value), input: readPort(input, value) };
}

/** Parses one end of a connection, such as the `after` of a new node. */
export function readEnd(text: string, names: ReadonlySet<string>): End {
  if (names.has(text) || text.length > MAX_END_CHARS) return { name: text };
  const type = /^(.*\S)\s*\((main|ai_\w+)\)$/s.exec(text);
  if (type) return { ...readEnd(type[1] ?? '', names), type: type[2] ?? '' };
  const port = /^(.*\S)\s*\[([^[\]]*)\]$/s.exec(text);
  return port ? { name: port[1] ?? '', port: port[2] ?? '' } : { name: text };
}

/** A longer text is a name: reading its ports takes quadratic time. */
const MAX_END_CHARS = 1_000;

function readText(text: string, names: ReadonlySet<string>): WrittenLink {
  const parts = text.split('->');
  let first: WrittenLink | undefined;
  // A name may contain an arrow: the split that gives two known names counts.
  for (let index = 1; index < Math.min(parts.length, MAX_ARROWS); index++) {
    const [left, right] = [parts.slice(0, index), parts.slice(index)].map((half) => half.join('->').trim());
    if (!left || !right) continue;
    const [from, to] = [readEnd(left, names), readEnd(right, names)];
    const link = {
      from: from.name,
      to: to.name,
      type: from.type ?? to.type,
      output: from.port,
      input: to.port,
    };
    if (names.has(from.name) && names.has(to.name)) return link;
    first ??= link;
  }
  if (first === undefined) throw unreadable(text);
  return first;
}

const MAX_ARROWS = 20;

function readPort(port: unknown, link: unknown): string | number | undefined {
  if (port === undefined || port === null) return undefined;
  if (typeof port === 'string' || (typeof port === 'number' && Number.isInteger(port) && port >= 0)) return port;
  throw unreadable(link);
}

function unreadable(value: unknown): ToolwrightError {
  return new ToolwrightError('INVALID_ARGUMENTS', `Cannot read the connection ${JSON.stringify(value)}. ${FORMS}`);
}
