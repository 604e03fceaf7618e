import { HINT_WORDS, type Hint } from '../hints/words.ts';

const MAX_CHARS = 240;
const MAX_TURNS = 3;
/** Words that say nothing about a number in speech: "the best time to call", "the number on the account". */
const NEUTRAL: ReadonlySet<string> = new Set(
  `contact client host remote visitor peer gateway master discover soc ss sin id ids code codes line lines date time since
  until part case point points section message messages answer direct office work home range size length count total
  numer port ports page pages case year years post mail email emails mailto hash thread po pin guid process item
  identity resident citizen`.split(/\s+/),
);
/** More words for a phone in speech. */
const MORE: ReadonlyMap<string, Hint> = new Map(
  (
    [
      [
        'PHONE',
        'callback rufen ruf zurückrufen erreichen erreichbar anrufe ring buzz marcar llamarme llamada appeler chiamarmi rappeler rappelez rappelle llámeme llámenos llamarle número numero nummer',
      ],
      ['SSN', 'social'],
      ['CREDIT_CARD', 'visa mastercard amex'],
      ['DATE_OF_BIRTH', 'birthday'],
      [
        'OTHER',
        'kundennummer bestellnummer auftragsnummer vertragsnummer rechnungsnummer expediente cliente dossier seriennummer meter confirmation extension flight gate score sets room',
      ],
    ] as const
  ).flatMap(([hint, words]) => words.split(' ').map((word): [string, Hint] => [word, hint])),
);
const ON_ITS = /\b(?:on|for|to|with|in|under) (?:the|your|my|this|that|her|his|our|their) $/i;
const ON_ITS_CHARS = 14;
const NEWLINE = 10;

/**
 * Returns the type that the nearest known word before a spoken number indicates. A question may be in the turn before: "What's
 * your social?" "It's …".
 */
export function spokenHint(text: string, start: number): Hint | undefined {
  const limit = Math.max(0, start - MAX_CHARS);
  let turns = 0;
  for (let at = start - 1; at >= limit; at--) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE && ++turns === MAX_TURNS) return undefined;
    if (!isLetter(code)) continue;
    const end = at + 1;
    while (at > limit && isLetter(text.charCodeAt(at - 1))) at--;
    const hint = hintOf(text.slice(at, end).toLowerCase());
    if (hint === undefined) continue;
    // "the phone number on the account"
    if (hint === 'OTHER' && ON_ITS.test(text.slice(Math.max(limit, at - ON_ITS_CHARS), at))) continue;
    return hint;
  }
  return undefined;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code >= 0xaa;
}

function hintOf(word: string): Hint | undefined {
  const more = MORE.get(word);
  if (more !== undefined || NEUTRAL.has(word)) return more;
  return HINT_WORDS.get(word);
}
