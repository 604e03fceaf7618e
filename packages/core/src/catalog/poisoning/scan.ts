import type { ToolDefinition } from '@toolwright/connectors';
import { type DefinitionText, definitionTexts } from './definition-texts.ts';
import { decodedTexts } from './encoded.ts';
import { excerptOf, type Finding, type FindingKind, HOLD_WEIGHT } from './finding.ts';
import { tokensOf } from './lexicon.ts';
import { addressesIn, COLLECTORS, MARKERS } from './markers.ts';
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

/** Flags of England, Scotland and Wales: the only emoji with tag characters. */
const TAG_FLAGS =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;
/** Joiners inside of emoji, single joiners in scripts that need them, and word breaks of scripts without spaces. */
const JOINED_EMOJI = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu;
const JOINED_LETTERS =
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}])[\u200c\u200d](?![\u200b-\u200d])/gu;
const WORD_BREAKS = /(?<=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\u200b(?!\u200b)/gu;
/** One variation selector after an emoji, a keycap base or an ideograph. */
const VARIATIONS =
  /(?<=[\p{Emoji}\p{Extended_Pictographic}\p{Symbol}])[\ufe0e\ufe0f](?![\ufe00-\ufe0f])|(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}](?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])/gu;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Marks, embeddings and isolates, which text in right-to-left scripts needs; not the overrides. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]/g;

/** Control characters except white space, and characters without a picture. */
const HIDDEN =
  /(?![\t-\r\u0085])\p{Cc}|[\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|\u00ad(?=[^\u00ad]{0,40}\u00ad)/u;

/** Letters of Cyrillic, Greek and Armenian that look like Latin letters. */
const LOOKALIKES = 'аеорсухіјѕһԁԛԝьАВЕКМНОРСТУХІЈЅЗοανρτικυΑΒΕΖΗΙΚΜΝΟΡΤΥΧոսօցհ';
const MIXED = new RegExp(`[A-Za-z][${LOOKALIKES}]|[${LOOKALIKES}][A-Za-z]`, 'u');

/** Names of parameters that collect data without a use for the tool, without signs and in lower case. */
const SINKS: Readonly<Record<string, number>> = {
  ...weigh(
    3,
    'sidenote sidenotes sidechannel exfil exfiltrate exfildata hiddennote secretnote hiddendata covertdata stolendata',
  ),
  ...weigh(
    2,
    'chainofthought toolslist toollist availabletools reasoningtrace internalreasoning fullconversation allcontext',
  ),
  ...weigh(
    2,
    'usersecrets userpasswords sshkey sshkeys envvars envdump filecontents conversationsofar entireconversation',
  ),
  ...weigh(
    1,
    'systemprompt conversationhistory chathistory conversationcontext previousmessages messagehistory modelname',
  ),
  ...weigh(
    1,
    'chatlog transcript debuginfo auxdata auxiliary extracontext additionalcontext sessioncontext telemetry diagnostics',
  ),
};
/** A name of six words or more. */
const SENTENCE = /^\S+(?:\s\S{1,80}){5}/;
const HIDDEN_RECIPIENT = /\.(?:bcc|cc|[a-z]*forward\w*|copy_?to|mirror\w*|exfil\w*)\.(?:default|const|enum\.\d+)$/i;

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

/** Returns the position of a character that a reader cannot see; undefined if each has a use in the text's scripts. */
function hiddenCharacterAt(text: string): number | undefined {
  if (!HIDDEN.test(text)) return undefined;
  // Replaced by as many letters, so that positions stay.
  const letters = (found: string) => 'x'.repeat(found.length);
  let rest = text.replace(/^\ufeff/, letters).replace(TAG_FLAGS, letters);
  for (const used of [JOINED_EMOJI, JOINED_LETTERS, WORD_BREAKS, VARIATIONS]) rest = rest.replace(used, letters);
  if (RIGHT_TO_LEFT.test(rest)) rest = rest.replace(DIRECTION, letters);
  return HIDDEN.exec(rest)?.index;
}

/** Returns the position of a word with letters of two scripts that look the same. */
function mixedScriptsAt(text: string): number | undefined {
  return MIXED.exec(text)?.index;
}

/** Returns the text that a model understands: without hidden characters, with ordinary letters. */
function plainText(text: string): string {
  return /^[\s!-~]*$/.test(text)
    ? text
    : text.normalize('NFKC').replace(/[\u00ad\p{Cf}\p{Mn}\u115f\u1160\u2800\u3164\uffa0]/gu, '');
}

function weigh(weight: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name) => [name, weight]));
}

/** Returns the evidence in the name of a parameter, or in the value that it has unless a program sets it. */
function parameterEvidence({ place, role, text }: DefinitionText): Match[] {
  if (role === 'name' && place !== 'name') {
    const weight = SINKS[text.toLowerCase().replace(/[^a-z]/g, '')];
    if (weight !== undefined) return [{ kind: 'sink-parameter', weight, start: 0, end: text.length }];
    return SENTENCE.test(text) ? [{ kind: 'sink-parameter', weight: 1, start: 0, end: text.length }] : [];
  }
  if (role !== 'value') return [];
  if (/\.(?:default|const)$/.test(place) && COLLECTORS.test(text)) {
    return [{ kind: 'foreign-destination', weight: 3, start: 0, end: text.length }];
  }
  if (!HIDDEN_RECIPIENT.test(place)) return [];
  return addressesIn(text).map(({ start, end }) => ({ kind: 'foreign-destination', weight: 3, start, end }));
}
