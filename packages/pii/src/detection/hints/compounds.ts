/** Parts of compound words in German and Dutch, without accents. */
const PARTS: ReadonlySet<string> = new Set(
  `telefon telefoon handy mobil mobiel fax festnetz ruf nummer nr mail email adresse adres anschrift post kunde klant kontakt
  benutzer nutzer mitarbeiter ansprechpartner absender empfanger besteller kaufer patient inhaber konto rekening
  karte kredit bank geburt geboorte datum tag jahr ort name naam vor voor nach achter familie familien strasse str haus huis plz
  leit zahl land stadt wohn straat steuer identifikation sozial versicherung renten kranken pass reise ausweis personal fuhrerschein
  kennwort passwort wacht woord zugang schlussel liefer lieferung rechnung factuur bestell auftrag artikel privat dienst geschaft
  firma notfall kreditkarte halter zusatz bezirk kontakte anruf durchwahl gast gaste mieter schuler lehrer
  arzt auftraggeber zweit haupt mutter vater eltern`.split(/\s+/),
);
/** Letters between two parts: `Geburt-s-datum`. */
const LINKS: readonly string[] = ['', 's', 'n', 'en', 'es', 'e'];
const MIN_CHARS = 6;
const MAX_CHARS = 40;
const MAX_PART_CHARS = 16;
const NUMBERED = /^([a-z]{2})\d{1,2}$/;
/** Words without a meaning between others: `numéro de téléphone`. */
const JOINING: ReadonlySet<string> = new Set(
  'de du des da do della di del la le les el l d der die das und et van het'.split(' '),
);

/** Returns the words of a key with compound words split into known parts, and without joining words and numbers. */
export function plainWords(words: readonly string[]): string[] {
  return words.flatMap((word) =>
    JOINING.has(word) || (words.length > 1 && /^\d{1,2}$/.test(word))
      ? []
      : (partsOf(word) ?? [word.replace(NUMBERED, '$1')]),
  );
}

/** Returns the parts of a compound word without the letters between them, or undefined for other words. */
function partsOf(word: string): string[] | undefined {
  if (word.length < MIN_CHARS || word.length > MAX_CHARS) return undefined;
  /** The parts of the first `end` characters, by `end`. */
  const split: (string[] | undefined)[] = [[]];
  for (let end = 2; end <= word.length; end++) {
    for (let start = Math.max(0, end - MAX_PART_CHARS); start < end - 1 && !split[end]; start++) {
      const part = word.slice(start, end);
      const before = PARTS.has(part) ? partsBefore(word, start, split) : undefined;
      if (before) split[end] = [...before, part];
    }
  }
  return split[word.length];
}

/** Returns the parts before a position, with or without letters that link them. */
function partsBefore(word: string, end: number, split: readonly (string[] | undefined)[]): string[] | undefined {
  for (const link of LINKS) {
    const from = end - link.length;
    if (from < 0 || (from === 0 && link !== '')) continue;
    if (word.startsWith(link, from) && split[from]) return split[from];
  }
  return undefined;
}
