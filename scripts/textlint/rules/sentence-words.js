import { split } from 'sentence-splitter';
import { eachBlock, plainText } from '../blocks.js';

const MAX_WORDS = 25;

/** Reports sentences of more than `max` words (25). A code span is one word; each list item and table cell is a text of its own. */
export default function sentenceWords(context, { max = MAX_WORDS } = {}) {
  return eachBlock(context, (block) => {
    for (const sentence of split(plainText(block, context))) {
      if (sentence.type !== 'Sentence') continue;
      const words = sentence.raw.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
      if (words <= max) continue;
      const message = `The sentence has ${words} words, the limit is ${max}. Split it.`;
      const padding = context.locator.at(sentence.range[0]);
      context.report(block, new context.RuleError(message, { padding }));
    }
  });
}
