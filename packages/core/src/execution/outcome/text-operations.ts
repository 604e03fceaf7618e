import type { LanguageName } from '@toolwright/sandbox';

/** The aim of an operation on a text. */
type Aim = 'compare' | 'read' | 'other';

/** Operations that look into a text, in both languages. */
const OPERATIONS: readonly (readonly [Aim, RegExp])[] = [
  [
    'compare',
    /[!=]==?|\.(?:includes|(?:starts|ends)(?:With|with)|indexOf|search|test|match(?:All)?|fullmatch|has|find)\(|\b(?:switch|match|case|in)\b/,
  ],
  [
    'read',
    /\.(?:split|slice|substring|substr|charAt|at|replace(?:All)?|sub|partition|rsplit|lower|upper|toLowerCase|toUpperCase|title)\(|(?<=[\w)])\[-?\d*:?-?\d+\](?!\s*=[^=])/,
  ],
  [
    'other',
    /\.length\b|\blen\(|\bsort(?:ed)?\(|\bnew Date\(|\b(?:Number|parseInt|parseFloat|int|float|strptime|fromisoformat)\(|charCodeAt|(?<![=<>])[<>](?![=<>])/,
  ],
];

const FIXES: Readonly<Record<Aim, (of: LanguageName) => string>> = {
  compare: (language) =>
    language === 'python'
      ? "compare with await pii.match(value, endswith='…') (equals, startswith, includes, pattern, ignore_case), two placeholders with pii.equal(a, b, ignore_case=True) or pii.join(left, right, 'email')"
      : "compare with await pii.match(value, { endsWith: '…' }) (equals, startsWith, includes, pattern, ignoreCase), two placeholders with pii.equal(a, b, { ignoreCase: true }) or pii.join(left, right, 'email')",
  read: () =>
    "read a part with await pii.derive(value, 'domain') (last4, mask, country, year), or write one with pii.transform(value, 'lower') (upper, title, digits, first, last, initials, slug, sha256, pad:40, …)",
  other: () =>
    "sort with await pii.sort(list, 'name'), group with pii.group(list, 'email'), and read pii.age(value), pii.derive(value, 'length') or 'year'",
};
const AIMS: readonly Aim[] = ['compare', 'read', 'other'];
/** Operations that a warning names. */
const MAX_NAMED = 3;

/** Returns the warning for a program that computes with the text of a placeholder: its operations on texts, and what to use instead. */
export function textOperations(source: string, language: LanguageName): string {
  const found: { readonly aim: Aim; readonly place: string }[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    const inLine = OPERATIONS.flatMap(([aim, pattern]) =>
      [...line.matchAll(new RegExp(pattern, 'g'))].map(({ 0: operation, index: at }) => ({ aim, at, operation })),
    );
    // Operations that look into a text come first: an index may be one of a list.
    const rank = ({ operation, at }: { readonly operation: string; readonly at: number }) =>
      at + (/[\w!=]/.test(operation.charAt(operation.startsWith('.') ? 1 : 0)) ? 0 : line.length);
    for (const { aim, operation } of inLine.sort((x, y) => rank(x) - rank(y))) {
      found.push({ aim, place: `line ${index + 1}: ${operation.replace('(', '')}` });
    }
  }
  const named = [...new Set(found.map(({ place }) => place))].slice(0, MAX_NAMED);
  const aims = AIMS.filter((aim) => found.some((each) => each.aim === aim));
  const fixes = (aims.length > 0 ? aims : AIMS).map((aim) => FIXES[aim](language));
  const where = named.length > 0 ? ` (${named.join(', ')})` : '';
  return `The program computes with the text of a placeholder such as [EMAIL_1]${where}, so the answer is not the one for the values. Instead, ${fixes.join('; ')}.`;
}
