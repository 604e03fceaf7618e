// Turns the gold actions of a task into one program: a value that occurs in an earlier result is read from there.

/** Shorter texts and smaller numbers occur everywhere: equal ones prove nothing. */
const MIN_CHARACTERS = 4;
const MIN_NUMBER = 1_000;
const MAX_LEAVES = 20_000;

/**
 * Writes a program in `typescript` or `python`, or for a peer whose call is the text `language`. `log` has the calls as they went when they were made directly, with `value` or `error`.
 * @returns the program, and how many of its arguments come from results.
 */
export function writeProgram(server, log, language) {
  return writeCalls(server, log, WRITERS[language] ?? peerWriter(language));
}

/** Writes a program as {@link writeProgram}, with a writer of calls. `path` of a writer may return `undefined` for a value to write out. */
export function writeCalls(server, log, writer) {
  const known = new Map();
  let taken = 0;
  const lines = log.map(({ name, arguments: args, value, error }, index) => {
    const text = writer.value(args, (leaf) => {
      const place = known.get(keyOf(leaf));
      const path = place && writer.path(place, leaf);
      if (path !== undefined) taken++;
      return path;
    });
    if (error === undefined) note(known, value, [index]);
    return writer.call(index, name, text, server);
  });
  return { code: writer.whole(lines), taken };
}

const keyOf = (leaf) => `${typeof leaf} ${leaf}`;

function isTelling(leaf) {
  if (typeof leaf === 'string') return leaf.length >= MIN_CHARACTERS;
  return typeof leaf === 'number' && Math.abs(leaf) >= MIN_NUMBER;
}

/** Notes the place of each leaf of a result. The first place of a value stays. */
function note(known, value, path) {
  if (known.size > MAX_LEAVES) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      note(known, inner, [...path, Array.isArray(value) ? Number(key) : key]);
  } else if (isTelling(value) && !known.has(keyOf(value))) known.set(keyOf(value), path);
}

/** Writes a value. `find` returns the code that reads a leaf, or `undefined`. */
export function write(value, form, find) {
  const { leaf, list, object, key = JSON.stringify } = form;
  if (Array.isArray(value)) return list(value.map((inner) => write(inner, form, find)));
  if (typeof value === 'object' && value !== null)
    return object(Object.entries(value).map(([name, inner]) => `${key(name)}: ${write(inner, form, find)}`));
  return (isTelling(value) ? find(value) : undefined) ?? leaf(value);
}

const PYTHON_NAMES = new Map([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);
export const brackets = { list: (items) => `[${items.join(', ')}]`, object: (items) => `{${items.join(', ')}}` };
export const steps = ([index, ...path]) => `r${index}${path.map((key) => `[${JSON.stringify(key)}]`).join('')}`;

const WRITERS = {
  typescript: {
    value: (value, find) => write(value, { ...brackets, leaf: JSON.stringify }, find),
    path: steps,
    call: (index, tool, args, server) =>
      `const r${index}: any = await callMCPTool(${JSON.stringify(`${server}__${tool}`)}, ${args}).catch(failed);`,
    whole: (lines) =>
      [
        'const failures: string[] = [];',
        'const failed = (error: any) => (failures.push(error.message), null);',
        ...lines,
        'return { failures };',
      ].join('\n'),
  },
  python: {
    value: (value, find) =>
      write(value, { ...brackets, leaf: (leaf) => PYTHON_NAMES.get(leaf) ?? JSON.stringify(leaf) }, find),
    path: steps,
    call: (index, tool, args, server) =>
      [
        `try:`,
        `    r${index} = await call_mcp_tool(${JSON.stringify(`${server}__${tool}`)}, ${args})`,
        `except ToolError as error:`,
        `    r${index} = failures.append(str(error))`,
      ].join('\n'),
    whole: (lines) => ['failures = []', ...lines, '{"failures": failures}'].join('\n'),
  },
};

/** Returns the data of a result: peers return it in different shapes. */
export const DATA = `const failures = [];
const data = (result) => {
  const blocks = result?.content;
  const found = result?.structuredContent ?? (Array.isArray(blocks) ? blocks.map(({ text }) => text).join('\\n') : result);
  if (result?.isError) throw new Error(found);
  try { return JSON.parse(found); } catch { return found; }
};`;

/** Writes for a peer. `template` is a call of it, with TOOL and ARGUMENTS. */
function peerWriter(template) {
  return {
    value: WRITERS.typescript.value,
    path: steps,
    call: (index, tool, args) =>
      [
        `let r${index} = null;`,
        `try { r${index} = data(${template.replace('TOOL', () => tool).replace('ARGUMENTS', () => args)}); }`,
        'catch (error) { failures.push(String(error && error.message)); }',
      ].join('\n'),
    whole: (lines) => [DATA, ...lines, 'return { failures };'].join('\n'),
  };
}
