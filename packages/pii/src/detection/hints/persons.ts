import { KEYS_OF_LANGUAGES } from './more-languages.ts';

/**
 * Evidence of an object that it describes a person (positive) or a thing (negative), by strength. Keys, the parent key and
 * the value of a `type` have such evidence.
 */
export const EVIDENCE = { weak: 1, parent: 2, named: 2.5, contact: 3, certain: 4 } as const;

const LEVELS: readonly (readonly [number, string])[] = [
  [
    EVIDENCE.certain,
    `given fornamn efternamn imie nazwisko soyad firstname lastname givenname familyname surname middlename maidenname forename vorname nachname apellido apellidos nombre
    prenom dob dateofbirth birthdate birthday ssn gender salutation jobtitle maritalstatus nationality realname employeeid
    patientid mrn honorific nomfamille geburtsdatum familienname datenaissance`,
  ],
  [
    EVIDENCE.contact,
    `email emails emailaddress emailaddresses phone phones phonenumber phonenumbers mobile cell cellphone telephone
    workemail workphone homephone last4 expmonth mobilephone telefon telefonnummer courriel correo telefono handynummer`,
  ],
  [
    EVIDENCE.weak,
    'username login handle screenname address street line1 postalcode avatar avatarurl avatarurls bio pronouns accountid nickname',
  ],
  [
    -EVIDENCE.certain,
    `domain domainname industry numberofemployees annualrevenue ischannel isprivate isarchived nummembers defaultbranch
    clonestatus cloneurl giturl sshurl fork forks forkscount repository dependencies devdependencies peerdependencies
    mailenabled grouptypes securityenabled projecttypekey apiversion kind_ sku price workflowid vendorid manufacturer
    vatnumber registrationnumber support supportemail supportphone pushedat headsha headbranch stack stacktrace errno syscall`,
  ],
  [
    -EVIDENCE.contact,
    `version versions sha commit currency amount replicas namespace hostname host port checksum digest mimetype filename
    filesize topic purpose operatingsystem architecture steps stage command main exports engines dist schema columns database
    query metric cron environment scopes redirecturis clientid servicename uptime cpu memory disk containerid imageid
    capacity capabilities plan visibility license keywords scripts bugs maintainers`,
  ],
];
const LANGUAGE_LEVELS: readonly (readonly [number, string])[] = [
  [
    EVIDENCE.certain,
    `${KEYS_OF_LANGUAGES.NAME} ${KEYS_OF_LANGUAGES.DATE_OF_BIRTH} cognome voornaam achternaam sobrenome`,
  ],
  [EVIDENCE.contact, `${KEYS_OF_LANGUAGES.PHONE} ${KEYS_OF_LANGUAGES.EMAIL} celular cellulare movil telefoonnummer`],
];
/** Heads of keys, or values of a `type`, that name a person. The first list is certain, the second also names things. */
const PERSONS =
  words(`user users customer customers person persons people employee employees patient patients author authors
  assignee assignees attendee attendees organizer sender recipient recipients creator reporter guest guests candidate
  candidates applicant passenger passengers subscriber subscribers student students teacher cardholder beneficiary spouse
  payer payee participant participants reviewer reviewers committer invitee invitees contact contacts member members lead
  leads individual human practitioner borrower signer requester submitter approver cardowner staff`);
const MAYBE_PERSONS =
  words(`owner owners from to cc bcc manager driver doctor buyer seller tenant client clients profile
  profiles account by billing shipping consignee`);
const THINGS = words(`repository repositories repo repos project projects product products file files folder
  directory dir host hosts branch branches base head channel channels model models org orgs organization organizations
  organisation team teams company companies app apps application applications service services server servers workflow
  workflows label labels tag tags milestone milestones package packages image images container containers pod pods
  namespace node nodes cluster deployment database table tables column columns plan plans price prices sku store shop
  business merchant vendor supplier brand category categories event events job jobs step steps bot bots group groups
  workspace device devices installation release releases asset assets check license environment enterprise board
  status priority issuetype component components bank network volume bucket topic queue function functions role roles
  permission permissions site page pages form field fields segment campaign deal ticket integration webhook runner action
  actions pipeline stage stages location place venue calendar document sheet drive module plugin extension library task
  tool tools agent provider engine browser os dependency resource key keys rule rules policy queueitem currency country`);
/** Ends of keys without a meaning: `customer_details`. */
const TAILS = words('details detail info information data record object entry list summary raw current new old 1 2 3');
/** Persons before `name` in a key: `student_name`. */
const NAMED = words(`customer person employee patient author assignee attendee organizer sender recipient reporter guest
  candidate applicant passenger subscriber student teacher cardholder beneficiary spouse payer payee participant reviewer
  committer invitee contact lead practitioner signer doctor buyer owner father mother parent child emergency kin holder
  manager billing shipping from to cardowner borrower driver requester
  kunden patienten mitarbeiter inhaber empfanger absender besteller kaufer`);
/** Persons by their role. The value of such a key may be a name, or an organization. */
export const ROLES =
  words(`assignee reporter author manager supervisor recipient attendee guardian patient payee payer beneficiary spouse
  requester requestor approver reviewer physician doctor billto shipto soldto cardowner applicant passenger employee driver`);
const BY_KEY = new Map(
  [...LEVELS, ...LANGUAGE_LEVELS].flatMap(([level, keys]) =>
    keys
      .trim()
      .split(/\s+/)
      .map((key): [string, number] => [key, level]),
  ),
);
/** Evidence of the names that persons and things have, by the whole key. */
const NAME_LEVELS: ReadonlyMap<string, number> = new Map([
  ['name', 0],
  ['displayname', 0],
  ['nickname', 0],
  ['legalname', 0],
  ['family', 0],
  ...['ad', 'adi', 'namn', 'navn', 'nimi', 'nome', 'naam', 'jmeno', 'meno', 'ime', 'nama'].map(
    (key): [string, number] => [key, 0],
  ),
  ['titular', EVIDENCE.weak],
  ['intestatario', EVIDENCE.weak],
  ['nombre', 0],
  ['nom', 0],
  ['fullname', EVIDENCE.parent],
  ['nomcomplet', EVIDENCE.parent],
  ['nombrecompleto', EVIDENCE.parent],
  ['nomecompleto', EVIDENCE.parent],
  ['vollername', EVIDENCE.parent],
]);

/** Returns the evidence of a key for the object that contains it; 0 for none. */
export function siblingEvidence(parts: readonly string[]): number {
  const level = BY_KEY.get(parts.join('')) ?? BY_KEY.get(parts.slice(-2).join(''));
  return level ?? (isNumbered(parts) ? siblingEvidence(parts.slice(0, -1)) : 0);
}

/** Checks for the key of one of several values: `email_2`. */
function isNumbered(parts: readonly string[]): boolean {
  return parts.length > 1 && /^\d{1,2}$/.test(parts.at(-1) ?? '');
}

/** Returns the evidence of a key for the object that is its value. The last word decides: a `user_repository` is a thing. */
export function parentEvidence(parts: readonly string[]): number {
  let end = parts.length;
  while (end > 1 && TAILS.has(parts[end - 1] ?? '')) end--;
  const head = parts[end - 1] ?? '';
  if (PERSONS.has(head)) return EVIDENCE.parent;
  if (MAYBE_PERSONS.has(head)) return EVIDENCE.weak;
  return THINGS.has(head) ? -EVIDENCE.parent : 0;
}

/** Returns the evidence of the value of a `type`, such as `User`, `Organization` or `plus#person`. */
export function typeEvidence(value: string): number {
  const last = /[\p{L}]+$/u.exec(value)?.[0].toLowerCase() ?? '';
  if (PERSONS.has(last)) return EVIDENCE.certain;
  return THINGS.has(last) ? -EVIDENCE.certain : 0;
}

/** Returns the evidence of the key of a name by itself, or undefined for other keys. */
export function nameEvidence(parts: readonly string[]): number | undefined {
  if (isNumbered(parts)) return nameEvidence(parts.slice(0, -1));
  const own =
    NAME_LEVELS.get(parts.join('')) ?? (parts.slice(-2).join('') === 'fullname' ? EVIDENCE.parent : undefined);
  if (own !== undefined) return own;
  if (ROLES.has(parts.at(-1) ?? '') || ROLES.has(parts.slice(-2).join(''))) return EVIDENCE.weak;
  if (!/name$|^nom(?:bre)?$/.test(parts.at(-1) ?? '')) return undefined;
  const before = parts.slice(-2).join('').replace(/name$/, '');
  return NAMED.has(before) || NAMED.has(parts.at(-2) ?? '') ? EVIDENCE.named : undefined;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
