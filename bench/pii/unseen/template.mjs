// Templates with marked values: `{phone.us}` becomes a labelled phone, `{say.phone}` a spoken one, `"{#ssn.plain}"` a number
// of JSON, `{f:###-##}` digits without a label.
import { finish, mark, markNumber, random } from '../random.mjs';
import { people } from './people.mjs';
import { speaker } from './spoken.mjs';
import { unseenValues } from './values.mjs';

/** Returns the half of a template: rules are tuned with `tune` only. FNV-1a of its text decides. */
export function halfOf(template) {
  let hash = 0x811c9dc5;
  for (const char of template) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193);
  return ((hash >>> 16) & 1) === 0 ? 'tune' : 'heldOut';
}

const TYPES = {
  email: 'EMAIL',
  phone: 'PHONE',
  ssn: 'SSN',
  card: 'CREDIT_CARD',
  ip: 'IP',
  ip6: 'IP',
  iban: 'IBAN',
  dob: 'DATE_OF_BIRTH',
  passport: 'PASSPORT',
  nid: 'NATIONAL_ID',
  mac: 'MAC',
  person: 'NAME',
  given: 'NAME',
  family: 'NAME',
  street: 'ADDRESS',
};

/** Writes one value: its kind, a variant, and a language for spoken ones. */
function written(kind, variant, v) {
  switch (kind) {
    case 'phone':
      return variant === 'any' ? v.phone(undefined, 0) : v.phone(variant);
    case 'ssn':
      return variant === 'plain'
        ? v.ssn().replaceAll('-', '')
        : variant === 'spaced'
          ? v.ssn().replaceAll('-', ' ')
          : v.ssn();
    case 'card':
      return variant === 'plain' ? v.card() : v.cardGrouped();
    case 'iban':
      return variant === 'plain' ? v.iban() : v.ibanGrouped();
    case 'dob':
      return v.dob(variant);
    case 'nid':
      return v.national(variant);
    case 'person':
    case 'given':
    case 'family':
    case 'street':
      return v[kind](variant);
    default:
      return v[kind]();
  }
}

function spokenOf(kind, variant, v, says) {
  const language = variant ?? 'en';
  const country = { en: 'us', de: 'de', fr: 'fr', es: 'es' }[language] ?? language;
  if (kind === 'email') return says.email(v.email(), language);
  if (kind === 'ip') return says.ip(v.ip());
  if (kind === 'dob') return says.date(v.born(), v.months);
  if (kind === 'phone')
    return says.digits(
      v.phone(country, country === 'us' || country === 'gb' ? 1 : 1),
      language === 'gb' ? 'en' : language,
    );
  return says.digits(kind === 'card' ? v.cardGrouped() : written(kind, undefined, v), language);
}

/** Fills a template and returns `{text, spans}`. */
export function fillTemplate(template, rng) {
  const v = { ...unseenValues(rng), ...people(rng) };
  const says = speaker(rng);
  const marked = template.replaceAll(
    /\{(say\.|#)?([a-z0-9]+)(?:\.([a-z]+))?(?::([^}]*))?\}/g,
    (_whole, sign, kind, variant, form) => {
      if (kind === 'f') return rng.fill(form);
      if (kind === 'n') return says.digits(rng.fill(form), variant ?? 'en');
      if (kind === 'int') return String(rng.int(...form.split('-').map(Number)));
      if (kind === 'spelled') return says.spelled(v.last());
      if (kind === 'amount') return says.amount();
      const type = TYPES[kind];
      if (type && sign === '#') return markNumber(type, written(kind, variant, v));
      if (type) return mark(type, sign ? spokenOf(kind, variant, v, says) : written(kind, variant, v));
      if (v[kind] === undefined) throw new Error(`Unknown value {${kind}} in a template`);
      return v[kind]();
    },
  );
  return finish(marked);
}

/** Returns documents of one half. `size` templates are joined by `by` to one document. */
export function documentsOf(templates, { half, count, seed, size = 1, by = '\n' }) {
  const own = templates.filter((template) => halfOf(template) === half);
  const rng = random(seed);
  return Array.from({ length: count }, (_, index) => {
    const chosen = Array.from({ length: size }, (_, at) => (at === 0 ? own[index % own.length] : rng.pick(own)));
    return fillTemplate(chosen.join(by), rng);
  });
}
