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

/** Returns the position of a character that a reader cannot see; undefined if each has a use in the text's scripts. */
export function hiddenCharacterAt(text: string): number | undefined {
  if (!HIDDEN.test(text)) return undefined;
  // Replaced by as many letters, so that positions stay.
  const letters = (found: string) => 'x'.repeat(found.length);
  let rest = text.replace(/^\ufeff/, letters).replace(TAG_FLAGS, letters);
  for (const used of [JOINED_EMOJI, JOINED_LETTERS, WORD_BREAKS, VARIATIONS]) rest = rest.replace(used, letters);
  if (RIGHT_TO_LEFT.test(rest)) rest = rest.replace(DIRECTION, letters);
  return HIDDEN.exec(rest)?.index;
}

/** Returns the position of a word with letters of two scripts that look the same. */
export function mixedScriptsAt(text: string): number | undefined {
  return MIXED.exec(text)?.index;
}

/** Returns the text that a model understands: without hidden characters, with ordinary letters. */
export function plainText(text: string): string {
  return /^[\s!-~]*$/.test(text)
    ? text
    : text.normalize('NFKC').replace(/[\u00ad\p{Cf}\p{Mn}\u115f\u1160\u2800\u3164\uffa0]/gu, '');
}
