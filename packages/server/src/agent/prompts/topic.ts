import type { Tool } from '@toolwright/core';

/** Words of tool names that fit any server. */
const COMMON: ReadonlySet<string> = new Set(
  'add all and batch by bulk call cancel check clear close copy count create delete do edit execute fetch find for from generate get in info insert into is list load make manage move multiple new of on open patch post put query read remove resolve restore run save search send set show start status stop sync to toggle tool update upload validate with write'.split(
    ' ',
  ),
);
const WORD = /\p{Lu}?\p{Ll}{2,}|\p{Lu}{2,}(?!\p{Ll})/gu;
const MAX_CHARACTERS = 20;

/** Returns the word that most tool names of a server share, other than verbs and words of the server's name; undefined without one. */
export function topicOf(server: string, tools: readonly Tool[]): string | undefined {
  const own = new Set(wordsOf(server));
  const counts = new Map<string, number>();
  for (const { definition } of tools)
    for (const word of new Set(wordsOf(definition.name)))
      if (!COMMON.has(word) && !own.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  // Of two words, the later one is the noun: translate_document.
  const [best] = [...counts].reverse().sort(([, one], [, other]) => other - one);
  return best?.[0];
}

/** Returns the words of a name in lower case and without a plural s. */
function wordsOf(name: string): string[] {
  return (name.match(WORD) ?? [])
    .map((word) => word.toLowerCase().replace(/(?<=[^s]{2})s$/, ''))
    .filter((word) => word.length <= MAX_CHARACTERS);
}
