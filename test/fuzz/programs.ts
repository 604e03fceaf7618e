import { createRandom, type Random } from '../fixtures/random.ts';
import { derive, type Grammar, JAVASCRIPT, JSX, PYTHON, TYPESCRIPT } from './grammar.ts';

/** A generated program. */
export interface FuzzProgram {
  readonly language: 'typescript' | 'python';
  readonly text: string;
}

const GRAMMARS: readonly (readonly [FuzzProgram['language'], Grammar])[] = [
  ['typescript', TYPESCRIPT],
  ['typescript', JAVASCRIPT],
  ['typescript', JSX],
  ['python', PYTHON],
];
/** Texts that nest or chain when they are repeated. */
const LINKS = [
  ...['(', '[', '{', '<', '<a>', '`${', '``', '!', '-', '~', 'typeof ', 'await ', 'new ', 'void ', '()=>', 'a=>'],
  ...[
    ' in a',
    ' instanceof a',
    ' as a',
    ' satisfies a',
    ' + a',
    ' ?? a',
    ' ? a : a',
    '.a',
    '?.a',
    '[a]',
    '(a)',
    ' = a',
  ],
  ...[
    'if(a)',
    'else ',
    'a:',
    'for(;;)',
    '{}',
    ';',
    'x as y;',
    '@a ',
    'A<',
    'A|',
    'keyof ',
    '=>',
    '/a/.b',
    '\\',
    '\u2028',
  ],
  ...[
    '"',
    "'",
    '"""',
    '#',
    '\n ',
    '\t',
    'def a():\n ',
    'lambda: ',
    'not ',
    ' if a else a',
    'f"{',
    'class a:\n ',
    ',',
    '*',
  ],
] as const;
const MAX_REPEATS = 60_000;
const MAX_CHARACTERS = 400_000;
const TOKENS = [
  '`',
  '${',
  '}',
  '(',
  ')',
  '"',
  "'",
  '*/',
  '/*',
  '//',
  '#',
  '\\',
  '\0',
  '\u2028',
  '😀',
  '\ud800',
  'await',
  '<',
];

/** Generates programs from a seed: half by a grammar, the others by mutation, a few with long chains. */
export function* generatePrograms(seed: number, count: number): Generator<FuzzProgram> {
  const random = createRandom(seed);
  let last: FuzzProgram = { language: 'typescript', text: 'return 1' };
  for (let made = 0; made < count; made++) {
    const [language, grammar] = random.pick(GRAMMARS);
    const derived = () => derive(grammar, random, 3 + random.below(7)).slice(0, MAX_CHARACTERS);
    if (random.oneIn(100)) last = { language, text: chain(derived(), random) };
    else if (random.oneIn(2)) last = { language, text: derived() };
    else last = { language, text: mutate(last.text.length < 20_000 ? last.text : derived(), random) };
    yield last;
  }
}

/** Repeats a short text many times somewhere in a program. */
function chain(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const link = random.oneIn(3) ? random.pick(LINKS) + random.pick(LINKS) : random.pick(LINKS);
  const before = random.oneIn(2) ? "return 'a'+" : text.slice(0, at);
  return (before + link.repeat(random.below(MAX_REPEATS)) + text.slice(at)).slice(0, MAX_CHARACTERS);
}

function mutate(text: string, random: Random): string {
  let changed = text;
  for (let round = random.below(4); round >= 0; round--) {
    const at = random.below(changed.length + 1);
    const end = at + random.below(Math.min(40, changed.length - at + 1));
    const rest = changed.slice(end);
    if (random.oneIn(3)) changed = changed.slice(0, at) + rest;
    else if (random.oneIn(2)) changed = changed.slice(0, at) + random.pick(TOKENS) + changed.slice(at);
    else changed = changed.slice(0, end) + changed.slice(at, end) + rest;
  }
  return changed;
}
