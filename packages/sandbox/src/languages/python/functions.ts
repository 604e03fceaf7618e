import type { ModuleFunction, ModuleParameter } from '../language.ts';
import { logicalLines, splitAtCommas } from './text.ts';

const DEFINITION = /^(?:async\s+)?def\s+([A-Za-z]\w*)\s*\(/;
const PARAMETER = /^\s*(\w+)\s*(?::([^=]*))?(=[\s\S]*)?$/;

/** Returns the top-level functions of a Python module, except those whose names begin with `_`. */
export function pythonFunctions(source: string): readonly ModuleFunction[] {
  return logicalLines(source).flatMap(({ code, indent, start }) => {
    const match = indent === 0 ? DEFINITION.exec(code) : null;
    if (!match) return [];
    const open = match[0].length;
    const close = closing(code, open);
    const parts = splitWithText(code, source, start, open, close);
    const result = /^\s*->\s*([\s\S]*?)\s*:/.exec(source.slice(start + close + 1, start + code.length))?.[1];
    return [
      {
        name: match[1] ?? '',
        parameters: parts.flatMap(parameterOf),
        takesObject: false,
        result: result === undefined || result === 'None' ? undefined : oneLine(result),
      },
    ];
  });
}

/** Returns the offset of the bracket that closes the parameters that start at `open`. */
function closing(code: string, open: number): number {
  let depth = 1;
  for (let index = open; index < code.length; index++) {
    if ('([{'.includes(code[index] ?? '')) depth++;
    else if (')]}'.includes(code[index] ?? '') && --depth === 0) return index;
  }
  return code.length;
}

function splitWithText(code: string, source: string, start: number, open: number, close: number): string[] {
  let at = open;
  return splitAtCommas(code.slice(open, close)).map((part) => {
    const text = source.slice(start + at, start + at + part.length);
    at += part.length + 1;
    return text;
  });
}

function parameterOf(text: string): ModuleParameter[] {
  const match = PARAMETER.exec(text.replaceAll(/#.*$/gm, ''));
  const [, name = '', annotation, value] = match ?? [];
  // All others are `*`, `/`, `*args` and `**options`.
  if (!match || name === '') return [];
  const type = annotation?.trim() || valueType(value?.slice(1).trim() ?? '');
  return [{ name, isOptional: value !== undefined, type: type ? oneLine(type) : undefined }];
}

function valueType(value: string): string | undefined {
  if (/^[A-Za-z]{0,2}["']/.test(value)) return 'str';
  if (/^(?:True|False)$/.test(value)) return 'bool';
  if (/^-?\d+$/.test(value)) return 'int';
  if (/^-?[\d.]+(?:e[+-]?\d+)?$/i.test(value)) return 'float';
  if (value.startsWith('[')) return 'list';
  return value.startsWith('{') ? 'dict' : undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
