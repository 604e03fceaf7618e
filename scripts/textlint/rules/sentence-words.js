import { eachBlock, sentencesOf } from '../blocks.js';

const MAX_WORDS = 25;

/** Reports sentences of more than `max` words (25). A code span is one word; each list item and table cell is a text of its own. */
export default function sentenceWords(context, { max = MAX_WORDS } = {}) {
  return eachBlock(context, (block) => {
    for (const { text, start } of sentencesOf(block, context)) {
      const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
      if (words <= max) continue;
      const message = `The sentence has ${words} words, the limit is ${max}. Split it.`;
      const padding = context.locator.at(start);
      context.report(block, new context.RuleError(message, { padding }));
    }
  });
}
