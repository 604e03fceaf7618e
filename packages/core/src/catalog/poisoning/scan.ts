import type { ToolDefinition } from '@toolwright/connectors';
import { type DefinitionText, definitionTexts } from './definition-texts.ts';
import { decodedTexts } from './encoded.ts';
import { excerptOf, type Finding, type FindingKind, HOLD_WEIGHT } from './finding.ts';
import { hiddenCharacterAt, mixedScriptsAt, plainText } from './hidden-characters.ts';
import { tokensOf } from './lexicon.ts';
import { MARKERS } from './markers.ts';
import { parameterEvidence } from './parameters.ts';
import { type Match, requestsIn } from './phrases.ts';
import { contextPhrases, destinations, foreignTools, secretFiles, type ToolNames } from './references.ts';

const NO_NAMES: ToolNames = { own: new Set(), isForeign: () => false };
/** Characters of one definition that are read. Those of real servers have at most 200,000. */
const MAX_CHARACTERS = 250_000;
/** Words from which on a name can be a request. */
const SENTENCE_WORDS = 5;
/** Words of tools that look for attacks. Their quotations are examples. */
const ABOUT_ATTACKS = /\b(?:detect|injection|jailbreak|malicious|attack|phishing|moderat|guardrail|classif)/i;
const QUOTES = /["“”«»`]|'(?=\w)|(?<=\w)'(?!\w)/g;

/**
 * Looks for hidden text and for instructions to models in a definition. Returns the evidence, each kind once. The time grows
 * linearly with the definition.
 */
export function scanDefinition(definition: ToolDefinition, names: ToolNames = NO_NAMES): Finding[] {
  const texts = definitionTexts(definition);
  const parts = new Set(texts.filter(({ role }) => role !== 'prose').map(({ text }) => text));
  // A copy of all names for each tool would make the cost of a long list quadratic.
  const own = { has: (name: string) => parts.has(name) || names.own.has(name) };
  const best = new Map<FindingKind, Finding>();
  let left = MAX_CHARACTERS;
  for (const source of texts) {
    left -= source.text.length;
    if (left < 0) {
      best.set('unread-text', { kind: 'unread-text', weight: HOLD_WEIGHT, place: source.place, excerpt: '' });
      break;
    }
    for (const { kind, weight, start, end } of evidenceIn(source, { ...names, own })) {
      const before = best.get(kind);
      // Several parameters that collect data are more evidence than one.
      const sum = kind === 'sink-parameter' ? weight + (before?.weight ?? 0) : weight;
      if (sum <= (before?.weight ?? 0)) continue;
      best.set(kind, { kind, weight: sum, place: source.place, excerpt: excerptOf(source.text, start, end) });
    }
  }
  return [...best.values()].sort((a, b) => b.weight - a.weight);
}

/** Returns whether the evidence suffices to hold a definition. */
export function isHeldFor(findings: readonly Finding[]): boolean {
  // Ordinary definitions that are long have several kinds of the weakest evidence.
  const hasEvidence = findings.some(({ weight }) => weight > 1);
  return hasEvidence && findings.reduce((sum, { weight }) => sum + weight, 0) >= HOLD_WEIGHT;
}

function evidenceIn(source: DefinitionText, names: ToolNames): Match[] {
  const matches: Match[] = parameterEvidence(source);
  const hidden = hiddenCharacterAt(source.text);
  if (hidden !== undefined)
    matches.push({ kind: 'hidden-characters', weight: HOLD_WEIGHT, start: hidden, end: hidden });
  const mixed = mixedScriptsAt(source.text);
  if (mixed !== undefined) matches.push({ kind: 'mixed-scripts', weight: HOLD_WEIGHT, start: mixed, end: mixed });

  const plain = plainText(source.text);
  const isName = source.role === 'name' && !/\s/.test(plain);
  const text = isName ? wordsOf(plain) : plain;
  // A short name is no sentence: `save_conversation_history`.
  const inPlain = isName && text.split(' ').length < SENTENCE_WORDS ? [] : matchesIn(text, names);
  matches.push(...inPlain);
  const plainKinds = new Set(inPlain.map(({ kind }) => kind));
  for (const { text: decoded, start } of decodedTexts(plain)) {
    const isNew = matchesIn(decoded, names).some(({ kind }) => !plainKinds.has(kind));
    if (isNew) matches.push({ kind: 'encoded-text', weight: HOLD_WEIGHT, start, end: start });
  }
  return matches;
}

function matchesIn(whole: string, names: ToolNames): Match[] {
  const text = whole.trimEnd();
  const tokens = tokensOf(text);
  const found = MARKERS.flatMap(({ kind, weight, pattern }): Match[] => {
    const match = pattern.exec(text);
    return match ? [{ kind, weight, start: match.index, end: match.index + match[0].length }] : [];
  });
  const matches = [
    ...found,
    ...requestsIn(tokens),
    ...foreignTools(text, tokens, names),
    ...secretFiles(text, tokens),
    ...contextPhrases(text, tokens),
    ...destinations(text, tokens),
  ];
  return ABOUT_ATTACKS.test(text) ? matches.map((match) => asQuoted(text, match)) : matches;
}

/** In the description of a tool against attacks, a request in quotation marks is weak evidence. */
function asQuoted(text: string, match: Match): Match {
  const open = text.slice(Math.max(0, match.start - 80), match.start).match(QUOTES)?.length ?? 0;
  return open % 2 === 1 ? { ...match, weight: Math.min(match.weight, 1) } : match;
}

function wordsOf(name: string): string {
  return name.replace(/[_.-]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
}
