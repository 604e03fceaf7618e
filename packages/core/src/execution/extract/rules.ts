import { choicesIn, matchesOf, type ValueType, valuesOf } from './formats.ts';
import { type ListShape, labelOf, type ObjectShape, type Property, type Shape, type ValueShape } from './shape.ts';

/** Why a text does not have one value for a place of a shape. */
export interface Unclear {
  /** The name of the property. Empty for the whole. */
  readonly name: string;
  readonly problem: 'absent' | 'several' | 'two readings';
  /** Set for a property that the data may lack. */
  readonly isOptional?: boolean;
}

/** Data that rules found in a text. */
export interface Extraction {
  readonly value: unknown;
  /** Places without one value: optional ones that the text does not have, too. */
  readonly unclear: readonly Unclear[];
}

interface Line {
  readonly label: string;
  readonly value: string;
}

/** Types whose only value in a text needs no label. */
const CLEAR: ReadonlySet<ValueType> = new Set(['date', 'date-time', 'email', 'uri']);
const LABELLED = /^[\s>*•|-]*([\p{L}][\p{L}\p{N} _./()#'-]{0,60}?)[*_\s]*[:=][*_]*(?:\s+(.*))?$/u;
const ITEM = /^\s*(?:[*•-]|\d{1,3}[.)])\s+(.*)$/;
const MAX_LINES = 20_000;

/** Finds the data of a shape in a text: values after their labels, rows of a table, and values of a format that occurs once. */
export function extractByRules(text: string, shape: Shape): Extraction {
  const whole = [{ label: '', value: text }];
  if (shape.kind === 'value') return ofValue(shape, whole);
  if (shape.kind === 'object') return ofObject(text, shape);
  return shape.items.kind === 'object' ? ofRecords(text, shape.items) : ofList(shape, whole);
}

function ofValue(shape: ValueShape, lines: readonly Line[]): Extraction {
  const all = [...new Set(lines.flatMap(({ value }) => candidates(value, shape)))];
  const found = all.filter((value) => value !== undefined);
  const [only] = found;
  if (found.length === 1 && all.length === 1) return { value: only, unclear: [] };
  const problem = all.length === 0 ? 'absent' : found.length === 0 ? 'two readings' : 'several';
  return { value: undefined, unclear: [{ name: '', problem }] };
}

/** Returns the values of a text that fit; `undefined` for one with two readings. */
function candidates(text: string, shape: ValueShape): readonly unknown[] {
  const { choices, pattern, type, fits } = shape;
  if (choices) return choicesIn(text, choices);
  const all = pattern === undefined ? valuesOf(text, type) : matchesOf(text, pattern);
  return all.filter((value) => value === undefined || fits(value));
}

function ofObject(text: string, shape: ObjectShape): Extraction {
  const lines = linesOf(text);
  const clear = onlyOnes(shape);
  const found = shape.properties.map(({ name, labels, shape: inner, isRequired }) => {
    const own = lines.filter(({ label }) => labels.includes(label));
    const places = own.length === 0 && clear.has(inner) ? [{ label: '', value: text }] : own;
    const { value, unclear } =
      inner.kind === 'value'
        ? ofValue(inner, places)
        : inner.kind === 'list' && inner.items.kind === 'value'
          ? ofList(inner, places)
          : extractByRules(text, inner);
    const isAbsent = value === undefined && unclear.every(({ problem }) => problem === 'absent');
    return { name, value, unclear: isAbsent ? absent(name, !isRequired).unclear : inside(name, unclear) };
  });
  const present = found.filter(({ value }) => value !== undefined);
  return {
    value: present.length === 0 ? undefined : Object.fromEntries(present.map(({ name, value }) => [name, value])),
    unclear: found.flatMap(({ unclear }) => unclear),
  };
}

/** Returns the unclear places of a part, by their names in the whole. */
function inside(name: string, unclear: readonly Unclear[]): readonly Unclear[] {
  return unclear.map((each) => ({ ...each, name: each.name === '' ? name : `${name}.${each.name}` }));
}

/** Returns the shapes whose format no other property has. */
function onlyOnes({ properties }: ObjectShape): ReadonlySet<Shape> {
  const keyOf = ({ shape }: Property) => {
    const value = shape.kind === 'list' ? shape.items : shape;
    if (value.kind !== 'value' || value.choices) return undefined;
    return value.pattern ?? (CLEAR.has(value.type) ? value.type : undefined);
  };
  const keys = properties.map(keyOf);
  return new Set(
    properties
      .filter((_, at) => keys[at] && keys.indexOf(keys[at]) === keys.lastIndexOf(keys[at]))
      .map(({ shape }) => shape),
  );
}

/** A list of values: all in the text, or those after a label. Texts are separated by commas, semicolons and lines. */
function ofList(shape: ListShape, lines: readonly Line[]): Extraction {
  const items = shape.items as ValueShape;
  const parts = items.type === 'text' && !items.choices && !items.pattern;
  const texts = lines.flatMap(({ value }) =>
    parts ? value.split(/[,;\n]/).map((each) => ITEM.exec(each)?.[1] ?? each) : [value],
  );
  const all = [...new Set(texts.flatMap((text) => candidates(text, items)))];
  if (all.includes(undefined)) return unreadable();
  return all.length === 0 ? absent('') : { value: all, unclear: [] };
}

/** A list of objects: the rows of a table, or blocks of which each begins with the label that the first one begins with. */
function ofRecords(text: string, items: ObjectShape): Extraction {
  const records = rowsOf(text, items) ?? blocksOf(text, items);
  const found = records.map((record) => (record === undefined ? unreadable() : ofObject(record, items)));
  const value = found.map((each) => each.value).filter((each) => each !== undefined);
  const unclear = found.flatMap((each, at) => inside(`[${at}]`, each.unclear));
  return value.length === 0 ? { value: undefined, unclear: [...unclear, ...absent('').unclear] } : { value, unclear };
}

function absent(name: string, isOptional = false): Extraction {
  return { value: undefined, unclear: [{ name, problem: 'absent', isOptional }] };
}

function unreadable(): Extraction {
  return { value: undefined, unclear: [{ name: '', problem: 'two readings' }] };
}

/** Returns the lines with a label. A value may be on the lines after it. */
function linesOf(text: string): readonly Line[] {
  const all = text.split('\n', MAX_LINES);
  return all.flatMap((line, index): readonly Line[] => {
    const read = labelled(line);
    if (read === undefined || read.value !== '') return read ? [read] : [];
    const next = all.slice(index + 1, index + 101);
    const end = next.findIndex((each) => each.trim() === '' || labelled(each) !== undefined);
    return [{ ...read, value: (end < 0 ? next : next.slice(0, end)).join('\n') }];
  });
}

function labelled(line: string): Line | undefined {
  const [, label, value = ''] = LABELLED.exec(line.slice(0, 10_000)) ?? [];
  return label === undefined ? undefined : { label: labelOf(label), value: value.replace(/[*_|\s]+$/, '').trim() };
}

/**
 * Returns the rows of a table as labelled lines, `undefined` for a row with another number of cells. Returns undefined without a table whose
 * head has two labels, or all.
 */
function rowsOf(text: string, { properties }: ObjectShape): readonly (string | undefined)[] | undefined {
  const lines = text.split('\n', MAX_LINES);
  const known = new Set(properties.flatMap(({ labels }) => labels));
  for (const [index, line] of lines.entries()) {
    const separator = ['|', '\t', ';', ','].find((each) => line.includes(each));
    if (separator === undefined) continue;
    const head = cellsOf(line, separator);
    const own = head.filter((cell) => known.has(labelOf(cell)));
    if (own.length < Math.min(2, properties.length)) continue;
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((each) => !each.includes(separator));
    const rows = (end < 0 ? rest : rest.slice(0, end)).filter((row) => !/^[\s|:;,\t-]*$/.test(row));
    return rows.map((row) => {
      const cells = cellsOf(row, separator);
      return cells.length === head.length ? cells.map((cell, at) => `${head[at]}: ${cell}`).join('\n') : undefined;
    });
  }
  return undefined;
}

function cellsOf(line: string, separator: string): readonly string[] {
  const plain = separator === '|' ? line.trim().replace(/^\||\|$/g, '') : line;
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const sign of plain) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign !== separator || isQuoted) cell += sign;
    else cells.push(cell);
    if (sign === separator && !isQuoted) cell = '';
  }
  return [...cells, cell].map((each) => each.trim());
}

function blocksOf(text: string, { properties }: ObjectShape): readonly string[] {
  const known = new Set(properties.flatMap(({ labels }) => labels));
  const blocks: string[][] = [];
  let first: string | undefined;
  for (const line of text.split('\n', MAX_LINES)) {
    const label = labelled(line)?.label;
    if (label !== undefined && known.has(label)) first ??= label;
    if (label !== undefined && label === first) blocks.push([]);
    blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join('\n'));
}
