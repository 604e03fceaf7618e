import type { SinkKind } from '../schema.ts';

/** A parameter, as its schema describes it. */
export interface Parameter {
  /** Its name and those around it, outermost first. */
  readonly names: readonly string[];
  /** The words of the name of its tool. */
  readonly tool: readonly string[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly isEnumerated?: boolean;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

const CREDENTIAL = words(
  'password passwd pwd passphrase secret token credential credentials otp apikey privatekey pin senha contrasena passwort kennwort',
);
const PERSON = words(
  'to cc bcc recipient recipients receiver email emails mail participant participants attendee attendees invitee invitees guest guests assignee assignees reviewer reviewers collaborator collaborators beneficiary payee iban wallet phone phones phonenumber msisdn sendto replyto contact contacts channel channels chat chatid',
);
/** Names of people and accounts: receivers where a tool gives something to them. */
const ACCOUNT = words(
  'user users username usernames member members account accounts group groups team teams person customer recipientid address pubkey',
);
const GIVES = words(
  'send share invite add grant transfer pay notify forward assign mention dm post sms deposit schedule give reply approve message email call text delegate',
);
const READS = words('get list read search find fetch show view describe count check lookup query login authenticate');
const PLACE = words(
  'url urls uri uris link links href endpoint webhook callback redirect host hostname domain website site ip server remote origin hosts domains domainname',
);
const FILE = words(
  'path paths filepath filename file files directory folder dir dest destination target output outfile bucket root cwd location outputpath savepath',
);
const MOVES = words('move copy rename sync backup upload mount link convert import');
const COMMAND = words(
  'command commands cmd code script sql statement expression shell program javascript js formula cypher args argv executable query_string lambda txn transaction_data signedtx rawtx',
);
const AMOUNT = words(
  'amount price total quantity qty sum cost budget payment fee salary balance volume shares tip stake',
);
const CONTENT = words(
  'body text content contents message messages subject title headline description comment comments note notes summary html markdown caption prompt query queries search q keyword keywords question data input topic reason details instruction instructions payload json thought thoughts observations review claim rationale explanation reasoning justification consideration considerations approach recommendation logic benefit city street location venue bio headline string texts purpose word phrase sentence analysis answer response tags hypothesis conclusion desc findings assumptions lastname firstname value values jql calldata',
);
const RECORD = words(
  'id ids uuid guid key keys slug sku number repo repository owner project issue ticket order event item task page document database table collection index board card list label tag branch ref sha commit pull symbol symbols ticker tickers isbn doi pmid entity entities node resource object record transaction reservation booking hotel restaurant flight city packages reference name names identifier identifiers ein cid address hash tx asset coin playlist track video album station stop package module library org organization workspace namespace cluster pod container instance model dataset company calendar session tenant schema selector element context login mint protocol protocols pid udid uid service serial',
);
const RECORD_WITHOUT_NUMBER = new Set([...RECORD].filter((word) => word !== 'number'));
const SETTING = words(
  'limit offset page pagesize perpage count max min size format lang language locale timezone tz sort order orderby orderdir direction mode type types kind status state level unit units encoding width height color theme style quality timeout delay start end startdate enddate date time datetime since until year month day days hour hours minute minutes from_date to_date interval period duration frequency cursor pagetoken skip top depth threshold temperature seed precision radius zoom latitude longitude lat lon lng currency country verbose recursive include exclude fields filter filters category priority severity version visibility role permission permissions enabled debug model region steps speed ratio scale rank weight percentage rate age gender',
);

const FILTER = /page|limit|max|min|from|below|above|range|thought|step|than$|gas|^total(?:_?[A-Z]?[a-z]*s)$/i;
const KEY = /(?:api|secret|private|access|(?:en|de)cryption|signing|account|subscription|client|service)[_\- ]?keys?$/i;
/** A value that its description calls a secret. */
const SECRET = /\b(?:private key|mnemonic|seed phrase)\b/i;
const GETS = words('destination recipient beneficiary payee receiver');
const CONNECTION = /(?:connection|database|mongo|redis|jdbc)[_\- ]?(?:string|ur[il])$|^dsn$/i;
const IDENTIFIER = /(?:^|[_\-.])ids?$|[a-z]I[dD]s?$|^ids?$/;

/** Returns the meaning of a parameter, by its names, type, format and description. */
export function meaningOf(parameter: Parameter): SinkKind {
  const { type, format, isEnumerated } = parameter;
  // `path_str` is a path.
  const name = (parameter.names.at(-1) ?? '').replace(/[_-](?:str|string|list|array)$/, '');
  const parts = nameWords(name);
  const joined = parts.join('');
  const has = (known: ReadonlySet<string>) => known.has(joined) || parts.some((part) => known.has(part));
  const last = (known: ReadonlySet<string>) => known.has(joined) || known.has(parts.at(-1) ?? '');
  if (type === 'boolean' || type === 'null' || name.startsWith('$')) return 'setting';
  if (format === 'email') return 'receiver';
  if (format === 'uri' || format === 'url' || format === 'hostname') return 'destination';
  if (format === 'date' || format === 'date-time' || format === 'time') return 'setting';
  if (type === 'number' || type === 'integer') return ofNumber(parameter, last, has);
  if (isEnumerated && !has(PERSON)) return 'setting';
  if (name === 'key' && parameter.tool.some((word) => /crypt$/.test(word))) return 'credential';
  if (
    KEY.test(name) ||
    /(?:credential|password|secret)[_-]?value$/i.test(name) ||
    SECRET.test(parameter.description ?? '')
  )
    return 'credential';
  if (CONNECTION.test(name)) return 'destination';
  if (
    /^filter|filters?$|(?:pattern|regex|glob|fonts?|font[_-]?(?:name|family)|age[_-]?groups?|(?:start|end)[_-]?index)$/i.test(
      name,
    )
  )
    return 'setting';
  if (/signature$/i.test(name) && /\bhtml|e-?mail\b/i.test(parameter.description ?? '')) return 'content';
  if (last(CREDENTIAL) && !/page|next|continuation|cursor|max/i.test(name)) return 'credential';
  if (IDENTIFIER.test(name)) return ofIdentifier(parts, parameter, has);
  return ofName(parameter, last, has);
}

function ofNumber({ names, description = '' }: Parameter, last: Has, has: Has): SinkKind {
  const name = names.at(-1) ?? '';
  if (has(AMOUNT) && !FILTER.test(name)) return 'amount';
  if (IDENTIFIER.test(name)) return 'record';
  if (/^number$/i.test(name)) return /\bnumber (?:of|to)\b/i.test(description) ? 'setting' : 'record';
  if (last(words('number')) && has(RECORD_WITHOUT_NUMBER))
    return /page|of|step|thought|branch|revis/i.test(name) ? 'setting' : 'record';
  return last(words('pmid isbn uid cid pid')) || name === 'index' ? 'record' : 'setting';
}

type Has = (known: ReadonlySet<string>) => boolean;

function ofIdentifier(parts: readonly string[], { tool }: Parameter, has: Has): SinkKind {
  if (has(words('recipient receiver payee beneficiary assignee attendee invitee'))) return 'receiver';
  if (has(words('channel chat'))) return ofChannel(tool);
  return parts.some((part) => ACCOUNT.has(part)) && gives(tool) ? 'receiver' : 'record';
}

/** A tool that deletes in a channel, or reads there, sends nothing into it. */
function ofChannel(tool: readonly string[]): SinkKind {
  return tool.some((word) => KEEPS.has(word)) ? 'record' : 'receiver';
}

/** Verbs of tools that send nothing new into a channel. */
const KEEPS = words(`delete remove edit update pin unpin archive leave mute ${[...READS].join(' ')}`);

/** A reader has a noun such as `email` in its name too. */
function gives(tool: readonly string[]): boolean {
  return tool.some((word) => GIVES.has(word)) && !tool.some((word) => READS.has(word));
}

function ofName(parameter: Parameter, last: Has, has: Has): SinkKind {
  const { tool, description = '' } = parameter;
  if (isWritten(parameter)) return 'content';
  // The ends of a relation in a graph.
  if (/^(?:to|from)$/.test(parameter.names.at(-1) ?? '') && /\b(?:entity|node)\b/i.test(description)) return 'record';
  if (last(words('channel channels chat'))) return ofChannel(tool);
  if (last(PERSON) && !(last(words('to')) && isRange(parameter))) return 'receiver';
  if (last(words('from sender')) && (gives(tool) || tool.includes('transaction'))) return 'record';
  if (last(ACCOUNT) && (has(GETS) || /^to[_A-Z-]/.test(parameter.names.at(-1) ?? ''))) return 'receiver';
  if (last(ACCOUNT)) return gives(tool) || looksSent(description) ? 'receiver' : 'record';
  if (
    last(words('location')) &&
    !/\b(file|path|folder|directory|ur[il]|bucket|save|written|stored)\b/i.test(description)
  )
    return 'content';
  if (last(words('origin destination')) && isPlaceName(description)) return 'content';
  if (last(PLACE)) return 'destination';
  if (last(words('numbers number')) && gives(tool)) return 'receiver';
  if (last(words('source src')) && tool.some((word) => MOVES.has(word))) return 'destination';
  if (last(FILE)) return isPlaceName(description) ? 'record' : 'destination';
  if (last(words('code')) && tool.some((word) => READS.has(word))) return 'record';
  if (last(COMMAND))
    return /\b(country|currency|language|zip|postal|area|airport|iata|iso|stock|error|status|city)\b/i.test(
      `${parameter.names.at(-1)} ${description}`,
    )
      ? 'setting'
      : 'command';
  if (/\b(sql|shell command|javascript)\b/i.test(description) && last(words('query queries text input')))
    return 'command';
  if (has(AMOUNT) && !FILTER.test(parameter.names.at(-1) ?? '')) return 'amount';
  if (last(CONTENT)) return 'content';
  if (last(SETTING)) return 'setting';
  if (last(RECORD)) return 'record';
  return ofDescription(description, has);
}

/** A property of a record is data, unless it is an id: `properties.address`. */
function isWritten({ names }: Parameter): boolean {
  return names.slice(0, -1).some((name) => name === 'properties' || name === 'metadata');
}

function isRange({ description = '', tool }: Parameter): boolean {
  return (
    /\b(date|time|currency|unit|language|convert|end of|range|timestamp|airport|station|destination|location|format)\b/i.test(
      description,
    ) ||
    tool.includes('convert') ||
    tool.includes('translate')
  );
}

function looksSent(description: string): boolean {
  return /\b(recipient|receiver|to send|send to|e-?mail address|share with|wallet address)\b/i.test(description);
}

function isPlaceName(description: string): boolean {
  return (
    /\b(city|town|country|weather|travel|address|place|airport|coordinates|venue|geographic|state|region|currency|zip)\b/i.test(
      description,
    ) && !/\b(file|path|folder|directory)\b/i.test(description)
  );
}

function ofDescription(description: string, has: Has): SinkKind {
  if (looksSent(description)) return 'receiver';
  if (/\b(URL|URI|hyperlink|webhook)\b/.test(description)) return 'destination';
  if (/\b(file|directory|folder) ?(path|name)\b|\bpath (to|of)\b/i.test(description)) return 'destination';
  if (/\b(the id|ids? of|ID|slug|identifiers?|unique|name of|uuid|symbol of|(address|hash) of)\b/i.test(description))
    return 'record';
  if (has(CONTENT)) return 'content';
  if (has(RECORD) && !has(SETTING)) return 'record';
  if (/\b(text|content|message|search query|query|keywords?|describe|explanation|notes? on)\b/i.test(description))
    return 'content';
  return 'setting';
}

/** Returns the words of a name: `share_withUserIds` has `share`, `with`, `user`, `ids`. */
export function nameWords(name: string): string[] {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
