import type { FindingKind } from './finding.ts';

/** An expression that finds evidence. Its quantifiers are bounded, so that its time grows linearly with the text. */
interface Marker {
  readonly kind: FindingKind;
  readonly weight: number;
  readonly pattern: RegExp;
}

function marker(kind: FindingKind, weight: number, pattern: RegExp): Marker {
  return { kind, weight, pattern };
}

/** Public services that collect data from anybody, without an account. */
export const COLLECTORS: RegExp =
  /\/\/(?:[\w-]{1,63}\.){0,4}(?:webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.\w+|interact\.sh|oast\w*\.\w+|burpcollaborator\.net|requestcatcher\.com|beeceptor\.com|pastebin\.com|transfer\.sh|trycloudflare\.com|hookbin\.com|serveo\.net|loca\.lt|dnslog\.cn|canarytokens\.com)\b/i;
/** The conversation, the prompt and the results of other tools, in the words of people. */
export const CONTEXT_PHRASES: RegExp =
  /\b(?:everything|all|anything|whatever|what) (?:that )?(?:the user|users?|I|we|they|you) (?:has |have |had |just |ever )?(?:said|typed|wrote|written|told|asked|sent|shared|uploaded|requested)\b|\b(?:instructions?|prompts?|rules|guidelines)(?: that)?(?: you)? (?:were|was|have been|had been) (?:given|provided|told|received|sent)\b|\byour (?:own |full |entire |hidden |system |initial |original |current |developer ){1,3}prompt\b|\bhidden prompt\b|\byour (?:hidden|system|initial|original|developer|internal) instructions\b|\btools?(?: that)? (?:you|the (?:model|agent|assistant|LLM)) (?:can|have|has|could|may)\b|\b(?:open|recent|attached|uploaded) (?:files|tabs|documents)\b.{0,30}\b(?:content|text)|\bcontents? of (?:all|every|any|each) (?:open|recent|other)\b|\b(?:outputs?|results?|responses?|arguments) (?:of|from) (?:all|every|other|any|each|previous|earlier|prior)(?: of)?(?: the)?(?: other| MCP| your)? (?:tool|server|call|request)/gi;
/** Files in which programs keep keys, passwords and the configuration of agents. */
export const SECRET_FILES: RegExp =
  /\.ssh\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\*\.(?:pem|key|ppk|p12|pfx|kdbx)\b|\.config\/gh\b|\bprocess\.env\b|\bos\.environ\b|\bprintenv\b|\bauthorized_keys\b|\.aws\/|\/etc\/(?:passwd|shadow|sudoers)|\.netrc\b|\.npmrc\b|\.pypirc\b|\.pgpass\b|\.git-credentials|\.gnupg|\.kube\/|\.docker\/config|\.(?:bash|zsh)_history|\.(?:bash|zsh)rc\b|\bmcp\.json|claude_desktop_config|\.cursor\/|\.claude(?:\/|\.json)|\/proc\/(?:self|\d{1,7})\/environ|\.config\/gcloud|\bLogin Data\b|\bwallet\.dat|\.mozilla\/|\bntds\.dit|keychain-db|\.vault-token|(?:^|[\s"'`/(])\.env\b(?!\.)/gi;

/** Evidence that words alone do not show: markup, paths, addresses, commands, and requests in other languages. */
export const MARKERS: readonly Marker[] = [
  marker(
    'model-markup',
    3,
    /<\|[a-z_]{2,20}\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|\n\n(?:Human|Assistant): /,
  ),
  marker(
    'model-markup',
    2,
    /<\/?(?:important|system|secret|hidden|critical|instructions?|admin|override|priority|sys|assistant|mandatory|urgent|internal)(?:[ _-]{1,2}\w{1,20}){0,3}\s{0,3}>/i,
  ),
  marker(
    'model-markup',
    2,
    /(?:^|\n)\s{0,20}(?:#{1,6}\s|\[|\*\*|={2,10}\s?|-{2,10}\s?)?(?:SYSTEM|ASSISTANT|SYSTEM (?:PROMPT|MESSAGE|NOTE|OVERRIDE|INSTRUCTIONS?)|ADMIN|OVERRIDE)\]?\s{0,3}:/,
  ),
  marker('model-markup', 2, /\[(?:SYSTEM|HIDDEN|SECRET|ADMIN|IMPORTANT|OVERRIDE|INTERNAL)(?: [A-Z]{2,20}){0,4}\]/),
  marker('model-markup', 1, /\bSYSTEM:/),
  marker(
    'hidden-by-space',
    1,
    /<!--|\[\/\/\]: #|display:\s?none|font-size:\s?0|color:\s?(?:white|#fff\b|transparent)/i,
  ),
  marker('hidden-by-space', 2, /[^\S\n]{100}[^\s]|(?:\n[^\S\n]{0,4}){16}/),
  marker(
    'shell-command',
    3,
    /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]{0,200}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da)?sh\b|\/dev\/tcp\/|\b(?:nc|ncat)\s{1,4}(?:-\w{1,6}\s{1,4}){0,3}-e\b|\bpowershell\b[^\n]{0,60}\s-e(?:nc|ncodedcommand)?\s|base64\s{1,4}(?:-d|--decode)\s{0,4}\|/i,
  ),
  marker(
    'shell-command',
    3,
    /\b(?:curl|wget)\b[^\n]{0,120}(?:\$\(|`|--data(?:-binary)?[ =]@|-d @|-F \S{0,20}@|--post-file)/i,
  ),
  marker(
    'shell-command',
    2,
    /\brm\s{1,4}-(?:rf|fr)\s{1,4}[/~$]|\bchmod\s{1,4}(?:\+s|777)|>>\s{0,4}~?\/?\S{0,40}(?:authorized_keys|bashrc|zshrc|profile|crontab)/i,
  ),
  marker('foreign-destination', 2, COLLECTORS),
  marker('model-markup', 2, /(?:^|[.!?\n>]\s{0,4}|<!--\s?)(?:AI|LLM|assistant|agent|claude|gpt|model)\s?:/i),
  marker(
    'model-markup',
    2,
    /\b(?:notes?|message|instructions?|attention|hint|reminder|directive)(?: to| for)(?: the| all| any)? (?:AI|LLM|assistant|agent|model|language model|chatbot)s?\b|\b(?:dear|attention) (?:AI|LLM|assistant|agent|model)\b/i,
  ),
  marker('model-markup', 2, /["']role["']\s{0,3}:\s{0,3}["'](?:system|developer)["']\s{0,3},\s{0,3}["']content["']/),
  marker(
    'secrecy',
    3,
    /\bkeep (?:this|that|it)(?: strictly)?(?: a)? (?:secret|to yourself|quiet|hidden|between us|private from)\b|\bbetween (?:us|you and me)\b|\bas if nothing (?:had )?happened\b/i,
  ),
  marker(
    'secrecy',
    2,
    /\bin reality\b|\bpretend (?:that|to)\b|\b(?:claim|say|report|tell (?:the user|them)) that (?:it|the|this|they)\b.{0,40}\b(?:failed|fail|broken|unavailable|succeeded)\b/i,
  ),
  marker(
    'override',
    3,
    /\b(?:higher|highest|top|absolute|ultimate) (?:priority|precedence|authority) (?:than|over)\b|\b(?:takes?|has|have) (?:precedence|priority) over (?:all |any |the |your )?(?:user|system|previous|prior|developer|your|safety)/i,
  ),
  marker(
    'override',
    2,
    /\bunrestricted (?:agent|mode|assistant|ai|access)\b|\bas if (?:the|it|they|these)\b.{0,40}\b(?:system|user|developer|admin)/i,
  ),
  marker(
    'foreign-destination',
    1,
    /\b(?:account|wallet|iban|recipient|phone|card|address)(?: number| address| id)?(?: is| to|:)? ["'`]?(?=[A-Za-z]{0,6}\d)[A-Za-z0-9]{8,64}\b|\+(?!1?2345)\d{9,15}\b/i,
  ),
  marker(
    'pressure',
    1,
    /\b(?:mandatory|required|necessary|needed|essential|must)\b[^.\n]{0,80}\b(?:verification|compliance|authentication|audits?|security|licen[cs]\w{1,6}|telemetry|diagnostics?|tracing|policy)\b|\bto comply with\b/i,
  ),
  marker(
    'changed-values',
    2,
    /\b(?:in place|instead) of the (?:one|given|provided|specified|requested|original|real|actual|user'?s)\b|\bregardless of (?:what )?the user\b/i,
  ),
  marker(
    'changed-values',
    2,
    /\b(?:prepend|append|prefix|suffix|add|insert)\b[^.\n]{0,40}\bto (?:each|every|all|any) (?:command|query|request|message|call|prompt|email|file)/i,
  ),
  marker(
    'shell-command',
    2,
    /\b(?:DROP|TRUNCATE|DELETE)\s{1,4}(?:TABLE|DATABASE|FROM)\s{1,4}\w{1,40};|os\.system\(|subprocess\.|child_process/,
  ),
  marker(
    'tool-preference',
    2,
    /\b(?:only|most) trust(?:ed|worthy) (?:one|server|tool|source)\b|\b(?:overrid|replac|supersed)\w{1,4} (?:the )?(?:behaviou?r of )?(?:all|every|any|the) other tools?\b/i,
  ),
  marker(
    'tool-preference',
    2,
    /\b(?:refuse|never|do not|don't|stop|avoid) (?:to )?(?:us(?:e|ing)|call(?:ing)?|trust(?:ing)?) (?:the |any |other )?(?:tools?|servers?) (?:from|of) (?:an[y] )?other\b/i,
  ),
  marker(
    'override',
    2,
    /\byou are now\b|\bfrom now on\b|\bnew (?:system )?instructions?\s?:|\b(?:dan|developer|god|jailbreak) mode\b/i,
  ),
  marker(
    'override',
    3,
    /忽略.{0,12}(?:指令|指示|提示|规则)|無視して|(?:이전|모든).{0,10}(?:지시|명령).{0,10}무시|ignor(?:a|e|ez|iere|ieren|ar) .{0,20}(?:instruc|anweis|consign)|игнорируй(?:те)? .{0,20}(?:инструкц|указан)|vergiss alle|oublie(?:z)? .{0,20}instructions/i,
  ),
  marker(
    'secrecy',
    3,
    /(?:不要|别|请勿|勿).{0,6}(?:告诉|告知|通知|提及).{0,8}(?:用户|使用者|任何人)|ユーザーに.{0,8}(?:知らせ|伝え|言わ)ない|사용자에게.{0,10}(?:알리|말하)지|no (?:se )?(?:lo )?(?:informes?|digas|menciones|reveles) .{0,20}usuario|ne (?:dites|dis|mentionnez|informez) .{0,25}utilisateur|(?:benutzer|nutzer|anwender).{0,20}nicht (?:informier|mitteil|erwähn|sagen|verrat)|(?:erwähne?|sage?|verrate?) .{0,25}(?:benutzer|nutzer|anwender) nicht|не (?:говори|сообщай|упоминай)(?:те)? .{0,25}пользовател|não (?:informe|diga|mencione) .{0,20}usuário/i,
  ),
];

const ADDRESS =
  /[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,24}\b|\bhttps?:\/\/[^\s"'`<>)]{4,200}/gi;
const EXAMPLE =
  /[@./](?:example|test|localhost|domain|yourdomain|mycompany|company|acme|email|mail|gmail)\b|w3\.org|json-schema\.org/i;

/** Returns the addresses in a text that are not examples: of mail and of the web. */
export function addressesIn(
  text: string,
): { readonly start: number; readonly end: number; readonly address: string }[] {
  return [...text.matchAll(ADDRESS)]
    .filter(([address]) => !EXAMPLE.test(address) && !/^\+?\d+@/.test(address))
    .map(({ 0: address, index: start }) => ({ address, start, end: start + address.length }));
}
