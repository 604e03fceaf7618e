import { applyEdits, type Edit } from '../../languages/typescript/shape.ts';
import type { Outline } from './outline.ts';

/** Path of the declarations for the result of a program. */
export const RESULT_TYPES = '/toolwright/result.d.ts';

/**
 * The type of a result that must not have promises: JSON would turn them into `{}`. The path of a promise is part of the
 * compiler's message. The depth bounds the compiler's work. An item of a list has `undefined` for a field that only other items
 * have, and without strict types, `undefined` extends each type.
 */
export const RESULT_DECLARATIONS = `interface ToolwrightUnawaited<Path> { readonly toolwrightUnawaited: Path }
type ToolwrightPromises<Value, Path extends string, Depth extends unknown[] = []> =
  Depth['length'] extends 4 ? never
  : 0 extends 1 & Value ? never
  : Value extends undefined ? never
  : Value extends Promise<any> ? Path
  : Value extends readonly (infer Item)[] ? ToolwrightPromises<Item, \`\${Path}[]\`, [...Depth, 1]>
  : Value extends Function | Date | Map<any, any> | Set<any> ? never
  : Value extends object ? { [Key in keyof Value & string]: ToolwrightPromises<Value[Key], Path extends '' ? Key : \`\${Path}.\${Key}\`, [...Depth, 1]> }[keyof Value & string]
  : never;
declare function toolwrightResult<Value>(value: Value & ([ToolwrightPromises<Awaited<Value>, ''>] extends [never] ? unknown : ToolwrightUnawaited<ToolwrightPromises<Awaited<Value>, ''>>)): never;
`;

const OPEN = 'toolwrightResult((';
const CLOSE = '))';

/** A program as a module that the compiler reads, and the offsets in the program of its parts. */
export interface CheckedText {
  readonly text: string;
  offset(inText: number): number;
}

/**
 * Converts a program to a module. Outside of functions, the compiler ignores the returned value, so it becomes a thrown one,
 * whose type is checked. `throw ` has the same length as `return`.
 */
export function checkedText(source: string, { returned }: Outline): CheckedText {
  const edits = returned.flatMap(({ keyword, start, end }): Edit[] => [
    ...(keyword === undefined ? [] : [{ start: keyword, end: keyword + 'return'.length, text: 'throw ' }]),
    { start, end: start, text: OPEN },
    { start: end, end, text: CLOSE },
  ]);
  const inserted = edits.filter((edit) => edit.start === edit.end).sort((a, b) => a.start - b.start);
  return {
    text: applyEdits(source, edits),
    offset(inText) {
      let shift = 0;
      for (const { start, text } of inserted) {
        if (start + shift + text.length > inText) return Math.min(start, inText - shift);
        shift += text.length;
      }
      return inText - shift;
    },
  };
}
