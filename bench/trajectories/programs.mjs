// Writes the programs of recorded calls, as short as a model may write them.
import { brackets, steps, write, writeCalls } from '../proof/programs.mjs';
import { resultValue } from './flow.mjs';

const isName = (text) => /^[A-Za-z_$][\w$]*$/.test(text);
const form = { ...brackets, leaf: literal, key: (name) => (isName(name) ? name : literal(name)) };

/**
 * Returns the code of a program, whose value is that of its call, or the list of the values of its calls. A value that `isKnown` is written
 * out; others are read from the results. `shapes` are the parts of each result that it returns.
 */
export function codeOf(program, isKnown, shapes = program.map(() => true)) {
  const log = program.map((call) => ({
    name: call,
    arguments: call.arguments,
    ...(call.isError ? { error: call.text } : { value: resultValue(call) }),
  }));
  return writeCalls(undefined, log, {
    value: (value, find) => write(value, form, find),
    path: (place, leaf) => (isKnown(leaf) ? undefined : steps(place)),
    call: (_, call, args) => `await ${functionOf(call)}${args})`,
    whole: (calls) => {
      if (calls.length === 1 && shapes[0] === true) return `return ${calls[0]}`;
      const values = shapes.map((shape, index) => partOf(`r${index}`, shape));
      const lines = calls.map((call, index) => `const r${index} = ${call}`);
      return [...lines, `return ${values.length === 1 ? values[0] : `[${values.join(', ')}]`}`].join('\n');
    },
  }).code;
}

/** Returns the code of the parts of a value. Items of a list may lack parts. */
function partOf(value, shape, dot = '.') {
  if (shape === true) return value;
  if (Array.isArray(shape))
    return shape[0] === true ? value : `${value}${dot}map((v) => (${partOf('v', shape[0], '?.')}))`;
  const fields = Object.entries(shape).map(([key, inner]) => {
    const part = isName(key) ? `${value}${dot}${key}` : `${value}${dot === '.' ? '' : dot}[${literal(key)}]`;
    return `${form.key(key)}: ${partOf(part, inner, dot)}`;
  });
  return `{${fields.join(', ')}}`;
}

/** Returns the start of a call, as search answers write it. */
const functionOf = ({ server, name }) =>
  isName(server) && isName(name) ? `servers.${server}.${name}(` : `callMCPTool('${server}__${name}', `;

/** Writes a text in the quotes that need the fewest escapes inside of JSON. */
function literal(value) {
  if (typeof value !== 'string') return JSON.stringify(value);
  const double = JSON.stringify(value);
  const single = `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  const template = `\`${value.replaceAll(/[\\`]|\$\{/g, '\\$&')}\``;
  return [single, template, double].reduce((best, one) =>
    JSON.stringify(one).length < JSON.stringify(best).length ? one : best,
  );
}
