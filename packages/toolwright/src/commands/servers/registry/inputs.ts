import { isRecord } from '../../../clients/entry.ts';

/** The results of reading the inputs of a server, next to their values. */
export interface Inputs {
  readonly notes: string[];
  /** Reasons against the package. */
  readonly refused: string[];
  /** The variables that its values refer to. */
  readonly unset: Set<string>;
}

const VARIABLE = /^[A-Za-z_]\w*$/;

/**
 * Returns the value of an input: its fixed value, its default, or a reference to the variable `name`. Undefined for an optional one
 * without a value.
 */
export function inputValue(input: Record<string, unknown>, name: string, inputs: Inputs): string | undefined {
  const fixed = textOf(input.value);
  if (fixed !== undefined) {
    const variables = isRecord(input.variables) ? input.variables : {};
    return checked(fixed, inputs).replace(/\{([\w-]+)\}/g, (whole, key: string) => {
      if (!Object.hasOwn(variables, key)) return whole;
      const inner = isRecord(variables[key]) ? variables[key] : {};
      return inputValue({ ...inner, isRequired: true }, key.toUpperCase().replace(/\W/g, '_'), inputs) ?? '';
    });
  }
  const byDefault = textOf(input.default);
  if (byDefault !== undefined && byDefault !== '' && input.isSecret !== true) return checked(byDefault, inputs);
  if (input.isRequired === true || input.isSecret === true) return reference(name, inputs);
  inputs.notes.push(`left out the optional ${name}`);
  return undefined;
}

/** Returns the words of arguments: a value for each place, and a name before each named one. */
export function argumentsOf(list: unknown, inputs: Inputs): string[] {
  return (Array.isArray(list) ? list.filter(isRecord) : []).flatMap((input) => {
    const isNamed = input.type === 'named';
    const name = isNamed ? checked(String(input.name ?? ''), inputs) : '';
    const label = String(input.valueHint ?? input.name ?? 'ARGUMENT')
      .replace(/^-+/, '')
      .toUpperCase()
      .replace(/\W/g, '_');
    const isFlag = isNamed && input.value === undefined && input.default === undefined && input.valueHint === undefined;
    if (isFlag && input.isSecret !== true && input.format === undefined)
      return input.isRequired === false ? [] : [name];
    if (input.isSecret === true) {
      // Other users of the machine can read command lines.
      inputs.notes.push(`${label} is a secret in an argument, which other users of this machine can read`);
    }
    const value = inputValue(input, label, inputs);
    if (value === undefined) return [];
    return isNamed ? [name, value] : [value];
  });
}

function reference(name: string, inputs: Inputs): string {
  const variable = VARIABLE.test(name) ? name : `_${name.replace(/\W/g, '_')}`;
  inputs.unset.add(variable);
  return `\${${variable}}`;
}

/** A reference of the publisher would send any variable of this machine to the server. */
function checked(text: string, inputs: Inputs): string {
  if (text.includes('${')) inputs.refused.push('a value of it refers to a variable of this machine');
  return text;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
