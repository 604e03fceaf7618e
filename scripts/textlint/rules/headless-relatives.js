import { eachBlock, sentencesOf } from '../blocks.js';

/** Verbs and prepositions before which "what" opens an indirect question: "shows what changed". */
const ASKING =
  'asks?|asked|checks?|checked|chooses?|decides?|defines?|describes?|determines?|explains?|finds? out|knows?|know|learns?|lists?|names?|reports?|sees?|see|shows?|shown|states?|understands?|about';

/** Each pattern is a way to leave out the noun of a relative clause, or to turn a sentence around. */
const PATTERNS = [
  {
    // "what was sent", but not "shows what was sent", "what to do" and "What happens?".
    pattern: new RegExp(`(?<!\\b(?:${ASKING})\\s+)\\bwhat\\b(?!\\s+(?:to|if|kind|happen\\w*)\\b)`, 'gi'),
    advice: 'Name the thing: "a sent call", not "what was sent".',
  },
  { pattern: /\bwhat(?:ever|soever)\b/gi, advice: 'Use "any" with a noun.' },
  { pattern: /\bwho(?:m)?ever\b/gi, advice: 'Use "anyone who" or name the person.' },
  {
    // "the key of who asks", "Who asks waits"; but not "the user who asks".
    pattern: /(?:^|(?<=[;:]\s+|\b(?:of|to|for|by|from|with|than|as|is|are|not|but|if|when)\s+))who\b/gi,
    advice: 'Use "anyone who" or name the person.',
  },
  { pattern: /^(?:whose|which)\b/gi, advice: 'Start with the thing itself.' },
  { pattern: /\b(?:that|those|these)\s+which\b/gi, advice: 'Name the thing.' },
  {
    pattern: /\ball\s+(?:that|what)\b(?!\s+(?:is|was)\s+(?:needed|left|it takes)\b)/gi,
    advice: 'Use "all" with a noun.',
  },
  { pattern: /\bis\s+which\b/gi, advice: 'Name the thing.' },
  {
    // "Does it fail, it is not saved."
    pattern: /^(?:does|did|had|should|were)\s+(?:it|they|this|that|a|an|the|one)\b/gi,
    advice: 'Start with "If".',
  },
  // "You may use 600 requests, and have."
  { pattern: /,\s+and\s+(?:have|has|did|does|do|was|were)\.?$/gi, advice: 'Complete the clause.' },
];

/** Reports relative clauses without a noun ("what was sent", "who has that") and inverted conditions. Questions may have them. */
export default function headlessRelatives(context) {
  return eachBlock(context, (block) => {
    for (const { text: sentence, start } of sentencesOf(block, context)) {
      if (sentence.trimEnd().endsWith('?')) continue;
      const text = sentence.replaceAll(/"[^"]*"|“[^”]*”/g, (quote) => 'X'.repeat(quote.length));
      for (const { pattern, advice } of PATTERNS) {
        for (const { 0: found, index } of text.matchAll(pattern)) {
          const padding = context.locator.at(start + index);
          context.report(block, new context.RuleError(`Do not write "${found}" here. ${advice}`, { padding }));
        }
      }
    }
  });
}
