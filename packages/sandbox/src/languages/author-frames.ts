import type { PreparedSource, SourcePosition } from './language.ts';

/** A frame of the program in a stack: `at name (/program.js:line:column)`. */
const PROGRAM_FRAME = /^\s*at (?:(.*?) )?\(?\/program\.(?:js|py):(\d+):(\d+)\)?$/;
/** V8 writes these words before a function's name. */
const NAME_PREFIX = /^(?:async )?(?:Module\.)?/;
/** Names that engines give to the function that wraps a program. */
const WRAPPER_NAMES: ReadonlySet<string> = new Set(['default', 'program_default', '<anonymous>']);
/** Innermost frames that are returned; a runaway recursion has thousands. */
const MAX_FRAMES = 8;
/** Characters of a guest's stack that are read; an error may carry any text as its stack. */
const MAX_STACK_CHARACTERS = 64 * 1024;
const MAX_NAME_CHARACTERS = 200;

/** A function call in the author's source. */
export interface AuthorFrame {
  /** Name of the function, empty for the program itself. */
  readonly name: string;
  readonly position: SourcePosition;
}

/** Returns the author's frames of a guest stack, innermost first, with positions in the author's source. */
export function authorFrames(stack: string, source: PreparedSource): AuthorFrame[] {
  const frames = stack
    .slice(0, MAX_STACK_CHARACTERS)
    .split('\n')
    .flatMap((line) => {
      const match = PROGRAM_FRAME.exec(line);
      const position = match && source.position(Number(match[2]), Number(match[3]));
      if (!match || !position) return [];
      const name = match[1]?.replace(NAME_PREFIX, '') ?? '';
      return [{ name: WRAPPER_NAMES.has(name) ? '' : shorten(name), position }];
    });
  return frames.slice(0, MAX_FRAMES);
}

/** Returns frames as the text of a stack, one line per frame. */
export function stackText(frames: readonly AuthorFrame[]): string {
  return frames
    .map(({ name, position }) => `  at ${name ? `${name} ` : ''}line ${position.line}, column ${position.column}`)
    .join('\n');
}

function shorten(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  return `${name.slice(0, MAX_NAME_CHARACTERS)}… (+${name.length - MAX_NAME_CHARACTERS} characters)`;
}
