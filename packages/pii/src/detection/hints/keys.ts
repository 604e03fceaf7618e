import { KEYS_OF_LANGUAGES } from './more-languages.ts';
import { ROLES } from './persons.ts';
import type { Hint } from './words.ts';

/** The type that a key indicates for its value. `CURSOR`: the token of a page; `NEUTRAL`: the parent key or a sibling `type` decides; `TEXT`: prose. */
export type KeyHint =
  | Hint
  | 'SECRET'
  | 'CURSOR'
  | 'NAME'
  | 'BARE_NAME'
  | 'ADDRESS'
  | 'ADDRESS_PART'
  | 'NEUTRAL'
  | 'TEXT';

/** Keys without case, `_`, `-` and spaces. The lookup uses the complete key, then its final words, longest first. */
const KEYS: Readonly<Record<KeyHint, string>> = {
  PHONE: `phone phones tel telephone telephones mobile mobiles cell cellphone fax faxes landline msisdn whatsapp phonenumber
    phonenumbers mobilenumber mobilenumbers contactnumber contactnumbers contactno telephonenumbers callerid sms telefon telefono telephonenumber handy waid voicephone
    callback callbacknumber faxnumber telefonnummer mobil celular rufnummer festnetz telefoon mobiel durchwahl portable gsm telefone movil
    cellulare telemovel tlf voicemail callernumber callednumber fromnumber tonumber dialednumber dialnumber smsto smsfrom callto
    callfrom whatsappid ani`,
  EMAIL: `email emails mail emailaddress emailaddresses mailaddress useremail upn userprincipalname replyto cc bcc courriel correo correoelectronico mel emailadres
    mailadresse emailadresse`,
  SSN: `ssn socialsecurity socialsecuritynumber ssnumber socsec itin taxid taxidnumber taxpayerid tin sinssn taxref taxreference socialnum socialno socialnumber`,
  CREDIT_CARD: `creditcard card cardnumber ccnumber ccnum creditcardnumber debitcard pan primaryaccountnumber cardno paymentcard
    cardpan kreditkarte cartebancaire cartecredit cartebleue tarjeta tarjetacredito cartacredito cartaocredito
    numerocarte numerocarta numerotarjeta numerocartao kartennummer`,
  IP: `ip ips ipaddress ipaddr ipaddresses ipv4 ipv6 clientip remoteip remoteaddr remoteaddress sourceip srcip dstip destip
    serverip publicip privateip xforwardedfor forwardedfor xrealip peeraddress hostip loginip clientaddress sourceipaddress`,
  IBAN: `iban ibannumber ibans bankiban`,
  MAC: `mac macaddress macaddresses macs macaddr hwaddr hardwareaddress bssid ethernetaddress`,
  DATE_OF_BIRTH: `dob born dateofbirth birthdate birthday bday birth bornon borndate geburtsdatum geburtstag naissance geboortedatum nacimiento nascita nascimento`,
  PASSPORT: `passport traveldocument traveldocumentnumber passportnumber passportno passportid reisepass passeport pasaporte passaporto passnummer paspoort ausweisnummer`,
  NATIONAL_ID: `nationalid nationalidnumber nationalinsurancenumber nino nhsnumber nhs personalid personalnumber personnummer
    identitynumber idcardnumber governmentid governmentidnumber driverslicense driverlicense driverslicensenumber dni nif nie cpf
    pesel bsn aadhaar aadhaarnumber codicefiscale taxnumber socialinsurancenumber socialinsurance sinnumber curp rut nric fiscalcode steuerid tfn medicarenumber
    residentid citizenid idnumber steuer steuernummer steueridentifikation sozialversicherung rentenversicherung krankenversicherung
    personalausweis securitesociale numerosecu nir fuhrerschein codigofiscal`,
  SECRET: `password passwd pwd passphrase secret secrets clientsecret apikey apikeys accesskey secretkey secretaccesskey accesstoken
    refreshtoken authtoken bearertoken sessiontoken idtoken token privatekey authorization credentials signingkey
    encryptionkey webhooksecret apitoken personalaccesstoken connectionstring cookie setcookie passwort kennwort motdepasse motpasse contrasena
    wachtwoord senha zugangsschluessel clesecrete cleapi`,
  CURSOR: `cursor cursors nextcursor nextpagetoken pagetoken nexttoken continuationtoken synctoken skiptoken deltatoken resumetoken
    continuation continue etag bookmark scrollid`,
  NAME: `given firstname lastname givenname familyname surname middlename maidenname forename realname patientname employeename
    personname holdername cardholder cardholdername guestname attendeename vorname nachname apellido apellidos prenom spousename
    managername nomfamille nomnaissance familienname geburtsname voornaam achternaam
    kontoinhaber karteninhaber kartenhalter ansprechpartner cognome sobrenome apellidopaterno apellidomaterno titulaire`,
  BARE_NAME: `name family nom label title title2 fullname displayname nickname legalname nombre customername contactname ownername sendername
    recipientname fromname toname authorname billingname shippingname nomcomplet nombrecompleto nomecompleto vollername`,
  ADDRESS: `address addresses streetaddress street street1 street2 address1 address2 address3 addressline addressline1 addressline2
    addressline3 line1 line2 mailingaddress postaladdress homeaddress billingaddress shippingaddress fulladdress formattedaddress
    residentialaddress deliveryaddress thoroughfare strasse adresse direccion rue
    anschrift straat adres indirizzo domicilio endereco voie wohnadresse`,
  ADDRESS_PART: `city zip zipcode postcode postalcode postal state county district suburb region town housenumber
    plz postleitzahl hausnummer huisnummer wohnort ort stadt ville commune codepostal codigopostal ciudad provincia`,
  NEUTRAL: `v value values number numbers no raw formatted e164 international nationalformat national uri data items item 0 1 2 primary
    secondary home work main other default personal business office list local canonical normalized content account contact
    contacts string val href url answer answers response docnumber documentnumber docno documentno idvalue identifiervalue`,
  TEXT: `text body description note notes message messages comment comments summary snippet subject bio about details
    markdown html caption question transcript instructions remarks log output stdout stderr prompt reply excerpt`,
  OTHER: `id ids uid icaluid firmware software kernel useragent agent costcenter receipt receiptnumber dimensions uuid guid key hash sha sha1 sha256 md5 digest checksum range version versions versionnumber revision build commit price amount
    total subtotal cost tax balance count quantity qty size bytes length width height duration timeout ttl timestamp time ts date
    datetime at on created updated modified deleted expires expiry expiration epoch lat lon lng latitude longitude altitude
    coordinates geo x y z sku skus isbn issn ean upc gtin asin tracking trackingnumber tracking order ordernumber invoice
    invoicenumber serial serialnumber part partnumber model lot batch imei imsi iccid port pid code status type kind score rank index position
    offset page limit csrftoken
    progresstoken rate percent ratio weight last4 lastfour last4digits bin expmonth expyear routingnumber reference ref
    ticket ticketnumber case casenumber account accountid transaction request trace span session oid doi year month day hour minute second
    seconds milliseconds ms tokens maxtokens totaltokens prompttokens completiontokens pagenumber room floor engines node
    integrity resolved npi mrn medicalrecordnumber dea ein duns icd cpt ndc flight pnr booking confirmation vin plate article mpn color seed nonce assettag locator recordlocator barcode rechnung auftrag artikel bestell factuur facture commande kunde`,
};

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

/** Returns the entries of a table of keys, without accents. In a list of two types, the first counts. */
function entriesOf(table: Readonly<Partial<Record<KeyHint, string>>>): [string, KeyHint][] {
  const entries = (Object.entries(table) as [KeyHint, string][]).reverse();
  return entries.flatMap(([hint, keys]) => {
    const plain = keys.normalize('NFD').replace(/\p{M}/gu, '');
    return plain.split(/\s+/).map((key): [string, KeyHint] => [key, hint]);
  });
}
const ROLE_ENTRIES = [...ROLES].map((role): [string, KeyHint] => [role, 'BARE_NAME']);
const LOOKUP = new Map([...ROLE_ENTRIES, ...entriesOf(KEYS_OF_LANGUAGES), ...entriesOf(KEYS)]);

/** Ends of compound words such as `mobilephone`, except for names of devices. */
const GLUED =
  /^(?!.*(?:micro|head|ear|mega|saxo|gramo|smart)phone)[a-z]{2,20}?(phone|phonenumber|mobile|email|emailaddress|ssn|iban|ipaddress|cardnumber|birthdate|password|passwd|apikey|accesstoken|secretkey|firstname|lastname|fullname)$/;
/** Final words without a meaning: `phone_number_1` is a phone. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  'number numbers no num nr value raw formatted e164 text str string plain full primary secondary home work main other alt alternate business personal current new old field input masked clear display nummer nr numero livraison facturation client personnel professionnel domicile fixe privat dienst geschaft principal envio facturacion credito'.split(
    ' ',
  ),
);
/** Nouns of Romance languages, which stand before their attributes. */
const NOUNS: ReadonlySet<string> = new Set(
  'telefono telefone telephone telemovel celular cellulare movil portable correo courriel tel iban'.split(' '),
);
/** Words before `token` that make it a place in a list: `resume_token`. */
const PLACES: ReadonlySet<string> = new Set(
  `page pages paging pagination next prev previous cursor continuation continue resume skip sync delta start end starting
  ending after before scroll marker offset change changes watch progress cancellation list listing checkpoint
  iterator input output idempotency concurrency revision version etag`.split(/\s+/),
);
const SECRETS: ReadonlySet<string> = new Set(['access', 'auth', 'api', 'secret', 'refresh', 'session', 'bearer']);
const GLUED_CURSOR =
  /^(?:next|prev|previous)?(?:page|cursor|continuation|resume|skip|sync|delta|next|start|scroll)token$/;
const TOKENS: ReadonlySet<string> = new Set(['token', 'tokens']);
/** Keys of objects that contain the cursors of pages. */
const PAGINGS: ReadonlySet<string> = new Set(
  'page nextpage paging pagination next prev previous cursor cursors pageinfo continuation responsemetadata'.split(' '),
);
const MAX_KEY_CHARS = 64;
const MAX_CACHED_KEYS = 10_000;
const cache = new Map<string, KeyHint | null>();

/** Returns the type that a key indicates, or undefined. Results are cached: values repeat few keys many times. */
export function keyHint(key: string): KeyHint | undefined {
  const known = cache.get(key);
  if (known !== undefined) return known ?? undefined;
  const hint = key.length > MAX_KEY_CHARS ? undefined : classify(wordsOf(key));
  if (cache.size >= MAX_CACHED_KEYS) cache.clear();
  cache.set(key, hint ?? null);
  return hint;
}

/** Types of values that can be keys themselves: no name of a field has their form. */
const KEYED = new Set<KeyHint>(['PHONE', 'SSN', 'CREDIT_CARD', 'IBAN', 'IP']);

/** Returns the type of a key that may be a value itself, from the parent key: `{phones: {"+1 …": …}}`. */
export function keyedHint(above: KeyHint | undefined): KeyHint | undefined {
  return above !== undefined && KEYED.has(above) ? above : undefined;
}

/** Returns the words of a key in lower case, without accents. */
export function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/([A-Za-z]{3})(\d{1,2})(?![A-Za-z\d])/g, '$1 $2')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Checks whether the words of a key are the token of a page. The last word is `token`, after one such as `page`. */
export function isCursor(words: readonly string[]): boolean {
  const [before, last] = words.slice(-2);
  if (last === undefined || before === undefined) return GLUED_CURSOR.test(words[0] ?? '');
  return TOKENS.has(last) && PLACES.has(before) && !words.some((word) => SECRETS.has(word));
}

/** Checks whether the `token` in the value of a key is the token of a page: `{"paging": {"token": …}}`. */
export function isPaging(words: readonly string[]): boolean {
  return PAGINGS.has(words.join('')) || PAGINGS.has(words.at(-1) ?? '');
}

function classify(words: readonly string[]): KeyHint | undefined {
  if (isCursor(words)) return 'CURSOR';
  return lookUp(words) ?? lookUp(plainWords(words)) ?? nounFirst(words);
}

/** Returns the type of the final words of a key that are known. */
function lookUp(words: readonly string[]): KeyHint | undefined {
  for (let end = words.length; end > 0; end--) {
    for (let from = 0; from < end; from++) {
      const hint = LOOKUP.get(words.slice(from, end).join(''));
      // "number" alone has no meaning; in "order number" the word before it decides.
      if (hint && !(hint === 'NEUTRAL' && from > 0)) return hint;
    }
    const last = words[end - 1] ?? '';
    const glued = GLUED.exec(last)?.[1];
    if (glued !== undefined) return LOOKUP.get(glued);
    if (!QUALIFIERS.has(last) && !/^\d{1,2}$/.test(last)) return undefined;
  }
  return words.length > 1 ? 'NEUTRAL' : undefined;
}

/** Returns the type of the first word of a key whose other words are unknown: nouns come first in `telefono_casa`. */
function nounFirst(words: readonly string[]): KeyHint | undefined {
  const [first = ''] = words;
  return words.length > 1 && NOUNS.has(first) ? LOOKUP.get(first) : undefined;
}

/** Returns the words of a key with compound words split into known parts, and without joining words and numbers. */
function plainWords(words: readonly string[]): string[] {
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
