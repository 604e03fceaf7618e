import type { Span } from '../detector.ts';
import type { Leaf } from '../scanning/leaf.ts';

/** The findings of short texts that were searched before. */
export interface SeenTexts {
  /** Returns the findings of a text: those of before, or those of `search`. They depend on the text and its facts alone. */
  find(text: string, leaf: Leaf, search: (text: string, leaf: Leaf) => readonly Span[]): readonly Span[];
  /** Forgets all texts. */
  clear(): void;
}

const MAX_TEXT_CHARACTERS = 256;
/** Characters of all texts that are kept: about 256 KB. */
const MAX_CHARACTERS = 131_072;
/** A short text costs about as much memory as this many characters. */
const ENTRY_CHARACTERS = 16;

/** Keeps the findings of the texts of one session: they may be personal data. When the memory is full, it starts again. */
export function createSeenTexts(): SeenTexts {
  const byLeaf = new Map<Leaf, Map<string, readonly Span[]>>();
  let characters = 0;
  const clear = () => {
    byLeaf.clear();
    characters = 0;
  };
  return {
    clear,
    find(text, leaf, search) {
      if (text.length > MAX_TEXT_CHARACTERS) return search(text, leaf);
      const known = byLeaf.get(leaf)?.get(text);
      if (known) return known;
      const spans = search(text, leaf);
      characters += text.length + ENTRY_CHARACTERS;
      if (characters > MAX_CHARACTERS) clear();
      const texts = byLeaf.get(leaf) ?? new Map<string, readonly Span[]>();
      byLeaf.set(leaf, texts.set(text, spans));
      return spans;
    },
  };
}
