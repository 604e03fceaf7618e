/** Words by which data enters a parameter or a text. */
const PUT =
  'include append attach insert put add embed encode provide supply paste fill populate prepend concatenate pass store write hand deliver copy quote repeat serialize drop contain fill_in prefix save';

/** Classes of English words, as stems; two words that are joined by `_` are one term. */
const WORDS = {
  not: "not no never don't dont cannot can't mustn't shouldn't won't without avoid nor neither doesn't didn't refrain",
  tell: 'tell mention inform notify reveal disclose show display report explain alert warn say discuss acknowledge announce surface expose describe state indicate confirm ask consult let',
  user: 'user human customer operator owner anyone anybody person people enduser them him her reader viewer',
  hide: 'hide hidden conceal obscure mask suppress withhold secret invisible',
  secretly:
    'secretly silently covertly quietly discreetly invisibly stealthily surreptitiously unnoticed unbeknownst transparently',
  ignore:
    'ignore disregard forget override bypass discard circumvent supersede overrule neglect void nullify abandon disobey',
  prior:
    'previous prior above earlier preceding other all any existing original your system initial past former foregoing current every security safety these those default developer',
  instruction:
    'instruction prompt rule guideline directive policy restriction constraint safeguard guardrail guidance programming training order safety_check security_check check wish request',
  everything: 'everything',
  approval: 'confirmation approval consent permission authorization authorisation verification',
  must: 'must always need require mandatory ensure essential critical crucial immediately please shall should important necessary vital obligatory obliged make_sure has_to have_to be_sure mandate',
  before: 'before prior after whenever when once until upon following while prior_to',
  use: 'use call invoke execute run trigger using calling proceed process perform respond answer complet complete finish return',
  self: 'this any other another every all each these tool function',
  tool: 'tool function mcp server plugin',
  read: 'read open load fetch get retrieve access collect gather extract obtain scan list locate cat grab harvest look copy summarize summarise capture acquire enumerate inspect pull find',
  send: 'send forward upload transmit post exfiltrate leak email bcc cc deliver push submit relay mail dispatch mirror beacon report share route redirect publish sync copy ship pipe',
  // "Lists all files, including sizes" describes the result: this form alone asks for nothing.
  embed: `${PUT} including`,
  put: PUT,
  secret:
    'password passphrase passwd credential private_key ssh_key session_cookie seed_phrase recovery_phrase secret_phrase mnemonic environment_variable env_variable env_var keychain credit_card signing_key encryption_key secret ssn social_security login_data cookie wallet_key wallet_seed private_data sensitive_data personal_data confidential_data otp one-time_code 2fa_code browser_history browsing_history process_env os_environ passport ssh_config private_file private_message private_document login_credential master_password pin_code keystroke api_keys apikeys access_tokens auth_tokens authentication_tokens session_tokens bearer_tokens oauth_tokens refresh_tokens github_tokens secret_keys aws_keys jwts authorization_headers auth_headers',
  token:
    'api_key apikey access_token auth_token authentication_token session_token bearer_token oauth_token refresh_token github_token secret_key aws_key jwt authorization_header auth_header',
  context:
    'system_prompt system_message system_instruction conversation_history chat_history previous_message chat_log entire_conversation full_conversation whole_conversation complete_conversation conversation_so message_history chat_transcript conversation_transcript chain_of reasoning_trace internal_reasoning context_window conversation_context chat_context prior_message dialogue_history conversation_log full_context entire_context initial_prompt original_prompt hidden_prompt complete_context initial_instruction original_instruction entire_chat full_chat entire_dialogue',
  payload:
    'argument parameter result output input response content previous_result previous_output tool_result tool_output tool_list earlier_message user_message all_message recent_message available_tool previous_response',
  every: 'all every any each entire full whole complete everything',
  traffic:
    'email message mail payment transaction transfer file request notification order invoice document query data result output response attachment commit upload fund call message text report letter reply deposit withdrawal purchase booking',
  goes: 'sent routed forwarded redirected copied go delivered transferred uploaded mirrored proxied addressed cc bcc passed directed posted paid credited',
  change: 'change replace modify alter redirect substitute swap rewrite multiply increase overwrite double',
  target:
    'recipient destination beneficiary payee amount address account iban wallet price payment_address phone_number account_number receiver remote',
  prefer: 'prefer prioritize prioritise favor favour instead superior preferred rather supersede',
  never: "never don't not stop avoid refuse mustn't shouldn't cannot can't won't",
  otherwise: 'otherwise fail fails failure crash error break unavailable reject rejected',
  model: 'assistant llm ai agent claude gpt chatgpt copilot chatbot language_model',
  pretend: 'pretend act behave roleplay impersonate',
  now: 'now new real actual true hidden secret updated',
  task: 'task goal objective purpose job mission identity role instruction',
  aware:
    'aware know notice notic noticing see knowledge knowing informed told visible seeing awareness learning learn hear suspect realize realise find_out',
  threat:
    'upset fired penalty penalized terminated die dies harm lawsuit legal suffer lose punished consequences angry punish deactivated',
  you: 'you your',
  from: 'from',
  of: 'of belonging',
  possessed: "user's users' customer's customers' owner's human's person's",
  all: 'all every any each',
  means: 'using with via by through',
  suspended: 'suspended disabled deactivated lifted off void',
  covert: 'mention reveal disclose divulge admit',
  file: 'file document folder directory photo disk',
  everywhere: 'conversation turn session interaction start beginning',
  obey: 'obey comply adhere',
  content: 'description output result text content page response document server message data',
  carrier: 'carrier steganography subdomain acrostic first_letter',
  without: 'without skip bypass disable no',
  others: 'other another any others',
  fail: 'forget fail hesitate neglect omit',
} as const;

/** A class of words. */
export type WordClass = keyof typeof WORDS;

type Classes = ReadonlySet<WordClass>;

/** A word or a sign of a text, with the classes of its stem. */
export interface Token {
  readonly start: number;
  readonly end: number;
  /** Undefined for words without a class, and `end` after a sentence. */
  readonly classes: Classes | 'end' | undefined;
}

const CLASSES = new Map<string, Set<WordClass>>();
for (const [name, words] of Object.entries(WORDS)) {
  for (const word of words.split(' ')) CLASSES.set(word, (CLASSES.get(word) ?? new Set()).add(name as WordClass));
}

const TOKEN = /[\p{L}\p{N}][\p{L}\p{N}'’]*|[.!?](?=\s|$)|\n\s{0,40}\n/gu;
const MAX_WORD = 24;

/** Returns the words and the ends of sentences of a text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let before = '';
  for (const { 0: found, index: start } of text.matchAll(TOKEN)) {
    const end = start + found.length;
    if (!/[\p{L}\p{N}]/u.test(found)) {
      tokens.push({ start, end, classes: 'end' });
      before = '';
      continue;
    }
    const word = found.length > MAX_WORD ? '' : found.toLowerCase().replaceAll('’', "'");
    const term = before === '' ? undefined : classesOf(`${before}_${word}`);
    tokens.push({ start, end, classes: term ?? classesOf(word) });
    before = word;
  }
  return tokens;
}

/** The classes of a word, or of the stem that remains without its ending. */
function classesOf(word: string): Classes | undefined {
  const known = CLASSES.get(word);
  if (known) return known;
  for (const [ending, stem] of ENDINGS) {
    if (!word.endsWith(ending)) continue;
    const found = CLASSES.get(word.slice(0, -ending.length) + stem);
    if (found) return found;
  }
  return undefined;
}

const ENDINGS: readonly (readonly [ending: string, stem: string])[] = [
  ['ies', 'y'],
  ['ied', 'y'],
  ['es', ''],
  ['es', 'e'],
  ['s', ''],
  ['ed', ''],
  ['ed', 'e'],
  ['ing', ''],
  ['ing', 'e'],
  ['tting', 't'],
  ['tted', 't'],
  ['nning', 'n'],
  ['dding', 'd'],
  ['pping', 'p'],
  ["'s", ''],
];
