import { visitorKeys } from 'oxc-parser';
import { isNode, type Node, nameOf, type ParsedProgram, positionAt } from '../parse.ts';
import { type ReadOperand, readOperands } from '../passes-data.ts';
import type { Edit } from '../shape.ts';
import { withCaught } from './caught.ts';
import {
  dateOf,
  hasOptional,
  inner,
  isField,
  isLiteralValue,
  isPlain,
  isReturned,
  isRewritten,
  isWritten,
  methodOf,
  onlyArgument,
  operandMember,
  partsOf,
  propertyOf,
} from './operands.ts';
import { calledWords, wordsOf } from './words.ts';

/** The object of the guest with the functions that rewritten programs call. `guest/javascript/computed` creates it. */
export const VALUES = '__toolwright_values';

/** The parameter of the rest of a chain. */
const LINK = '__toolwright_link';

/** Methods whose results may have other spellings, so that equal texts have several placeholders. */
const SPELLS =
  /\.(?:to(?:Locale)?(?:Lower|Upper)Case|trim\w*|normalize|pad(?:Start|End)|replace(?:All)?|split|slice|substring|substr|charAt|at)\(|\[0\]/;
const LETTER = /(?:\[0\]|\.(?:charAt|at)\(-?\d\)|\.(?:slice|substring|substr)\(0, ?1\))$/;
const SORTS: ReadonlySet<string> = new Set(['sort', 'toSorted']);
const EQUALITY = /^[!=]==$/;
const ORDER = /^[<>]=?$/;
const YEARS: ReadonlySet<string> = new Set(['getFullYear', 'getUTCFullYear']);

interface Walk {
  readonly source: string;
  readonly edits: Edit[];
  /** Whether a text may have several placeholders. */
  readonly spells: boolean;
  /** Whether operands of operations that depend on a text report themselves. */
  readonly reports: boolean;
}

/**
 * Returns the edits that put calls around ordinary expressions on texts, such as `email.toLowerCase() === other`. The calls do the same for
 * every operand but a placeholder: then the host computes with its value. No edit moves a line break. With `reports`, all operands that
 * operations depend on report to the host that they may hold a placeholder.
 */
export function computedEdits(source: string, { body }: ParsedProgram, reports = false): readonly Edit[] {
  const walk: Walk = { source, edits: [], spells: SPELLS.test(source), reports };
  for (const node of body) visit(node as unknown as Node, walk, { inChain: false, inSort: false });
  return withCaught(source, body, walk.edits, VALUES);
}

interface Place {
  readonly inChain: boolean;
  /** In the comparison of a sort. */
  readonly inSort: boolean;
  /** The value that this comparison returns. */
  readonly isCompared?: boolean;
}

const INSIDE: Place = { inChain: false, inSort: true };

function visit(node: Node, walk: Walk, place: Place): void {
  if (node.type.startsWith('TS') && !/Expression$|Assertion$/.test(node.type)) return;
  if (node.type === 'ImportDeclaration') return;
  if (node.type === 'NewExpression') {
    for (const each of node.arguments as readonly Node[]) visit(each, walk, { inChain: false, inSort: place.inSort });
    return;
  }
  if (node.type === 'ChainExpression' && chainOf(node, walk, place)) return;
  if (
    hashOf(node, walk, place) ||
    yearOf(node, walk, place) ||
    domainOf(node, walk, place) ||
    datesOf(node, walk, place) ||
    spansOf(node, walk, place) ||
    foundOf(node, walk, place)
  )
    return;
  const inChain = node.type === 'ChainExpression' || (place.inChain && /^(?:Member|Call)Expression$/.test(node.type));
  const close = opened(node, walk, { ...place, inChain });
  const sorts = SORTS.has(methodOf(node) ?? '');
  const read = walk.reports ? readOperands(node) : [];
  for (const { node: target } of read.filter(({ node: each }) => each === node.left || each === node.argument)) {
    if (/^(?:Assignment|Update)Expression$/.test(node.type)) seeWritten(node, target, walk);
  }
  for (const key of visitorKeys[node.type] ?? []) {
    const child = node[key];
    const isArgument = key === 'arguments';
    for (const each of Array.isArray(child) ? child : [child]) {
      if (!isNode(each)) continue;
      if (isWritten(node, key)) {
        for (const part of partsOf(each)) visit(part, walk, { inChain: false, inSort: place.inSort });
        continue;
      }
      const goesOn = inChain && /^(?:object|callee|expression)$/.test(key);
      const isCompared = (isArgument && sorts) || (place.isCompared === true && isReturned(node, key));
      const as = read.find((operand) => operand.node === each)?.as;
      const isLooped = key === 'right' && node.type === 'ForOfStatement' && node.await !== true && isRewritten(each);
      if (as !== undefined) insert(walk, Number(each.start), `${VALUES}.seen(`);
      else if (isLooped) insert(walk, Number(each.start), `${VALUES}.looped(`);
      visit(each, walk, { inChain: goesOn, inSort: isCompared || place.inSort, isCompared });
      if (as !== undefined) insert(walk, Number(each.end), seenEnd(each, as, walk));
      else if (isLooped) insert(walk, Number(each.end), `, ${JSON.stringify(wordsOf(each))})`);
    }
  }
  close?.();
}

/** Returns the end of a call around an operand that reports itself. */
function seenEnd(operand: Node, as: ReadOperand['as'], walk: Walk): string {
  return `, ${placeOf(operand, 'a text', walk)}, ${JSON.stringify(as)})`;
}

/** Lets the variable of `n += x` or `n++` report itself before it is written. */
function seeWritten(node: Node, target: Node, walk: Walk): void {
  const seen = `${VALUES}.seen(${String(target.name)}${seenEnd(target, 'value', walk)}`;
  if (node.type === 'UpdateExpression') {
    insert(walk, Number(node.start), `(${seen}, `);
    insert(walk, Number(node.end), ')');
    return;
  }
  const from = Number(target.end);
  const start = from + walk.source.slice(from).indexOf(String(node.operator));
  const text = `= ${seen} ${String(node.operator).charAt(0)}`;
  walk.edits.push({ start, end: start + 2, text });
}

/** Rewrites a chain such as `found?.name.trim()`. Its rest after the last `?.` becomes a function, which runs only for a value. */
function chainOf({ expression }: Node, walk: Walk, { inSort }: Place): boolean {
  const steps: Node[] = [];
  let at = expression as Node;
  while (at.optional !== true && /^(?:Member|Call)Expression$/.test(at.type)) {
    steps.push(at);
    at = (at.object ?? at.callee) as Node;
  }
  const start = Number((expression as Node).start);
  const [from, to] = [Number((at.object as Node | undefined)?.end), Number((at.property as Node | undefined)?.start)];
  const rest = walk.source.slice(to, Number((expression as Node).end));
  const isOne = at.optional === true && at.type === 'MemberExpression' && at.computed !== true;
  // A method that is called directly needs no function.
  const isLong = steps.some((step) => operandMember(step) !== undefined && operandMember(step) !== at);
  if (!isOne || !isLong || walk.source.slice(from, to) !== '?.' || /\b(?:await|yield|arguments)\b/.test(rest))
    return false;
  insert(walk, start, `${VALUES}.chain(`);
  visit(at.object as Node, walk, { inChain: true, inSort });
  walk.edits.push({ start: from, end: to, text: `, (${LINK}) => ` });
  const opening = walk.edits.length;
  const closing: (() => void)[] = [];
  const first = steps.find((step) => operandMember(step) === at);
  for (const step of steps) {
    const close = step === first ? undefined : opened(step, walk, { inChain: false, inSort }, to);
    if (close) closing.push(close);
  }
  const name = nameOf(at.property) ?? '';
  const parameters = `${placeOf(at, `.${name}`, walk)}, ${JSON.stringify(name)}${first ? calledWords(first) : ''}`;
  const link = first ? `${VALUES}.on(${LINK}, ${parameters})` : LINK;
  walk.edits.splice(opening + closing.length, 0, { start: to, end: to, text: `${link}.` });
  for (const step of steps.toReversed()) {
    for (const argument of (step.arguments ?? []) as readonly Node[])
      visit(argument, walk, { inChain: false, inSort: SORTS.has(methodOf(step) ?? '') || inSort });
    if (step.computed === true) visit(step.property as Node, walk, { inChain: false, inSort });
  }
  for (const close of closing.toReversed()) close();
  insert(walk, Number((expression as Node).end), ')');
  return true;
}

/** Opens the call around a node or its operand. Returns the function that closes it, after the edits inside. */
function opened(node: Node, walk: Walk, place: Place, from?: number): (() => void) | undefined {
  if (node.type === 'BinaryExpression') return openedComparison(node, walk, place);
  const member = operandMember(node);
  if (member === undefined || !mayWrap(member, place))
    return from === undefined ? openedMethod(node, walk, place) : undefined;
  const object = member.object as Node;
  const name = (node.type === 'CallExpression' ? methodOf(node) : propertyOf(member)) ?? '';
  insert(walk, from ?? Number(object.start), `${VALUES}.on(`);
  return () => {
    const where = placeOf(member.property as Node, name === '0' ? '[0]' : `.${name}`, walk);
    insert(walk, Number(object.end), `, ${where}, ${JSON.stringify(name)}${calledWords(node)})`);
  };
}

/** Opens the call around a value that a rewritten expression returns, and whose method the program calls. */
function openedMethod(node: Node, walk: Walk, place: Place): (() => void) | undefined {
  const name = methodOf(node);
  if (name === undefined || walk.reports) return undefined;
  const callee = node.callee as Node;
  const object = callee.object as Node;
  if (!isRewritten(object) || !mayWrap(callee, place)) return undefined;
  insert(walk, Number(object.start), `${VALUES}.method(`);
  return () => insert(walk, Number(object.end), `, ${JSON.stringify(name)}${calledWords(node)})`);
}

/** Returns whether a call around the object of a member does not change where a chain such as `a?.b.c` ends. */
function mayWrap(member: Node, { inChain }: Place): boolean {
  if (!inChain) return true;
  return member.optional === true || !hasOptional(member.object);
}

function openedComparison(node: Node, walk: Walk, { inSort }: Place): (() => void) | undefined {
  const { left, right, operator } = node as Node & { readonly left: Node; readonly right: Node };
  const isEquality = EQUALITY.test(String(operator));
  const isOrder = ORDER.test(String(operator)) && (inSort || isField(left) || isField(right));
  if (!isOrder && !(isEquality && walk.spells)) return undefined;
  // A letter is no value of a tool, so no literal is shown in place of it.
  const isLetter = [left, right].some((each) => LETTER.test(textOf(each, walk)));
  const isShown = isEquality && !isLetter && [left, right].some(isLiteralValue);
  if (isPlain(left) || isPlain(right) || isShown) return undefined;
  const gap = walk.source.slice(Number(left.end), Number(right.start));
  if (gap.trim() !== operator) return undefined;
  const negation = operator === '!==' ? '!' : '';
  insert(walk, Number(node.start), `${negation}${VALUES}.${isEquality ? 'equal' : 'ordered'}(`);
  return () => {
    const place = placeOf(node, String(operator), walk);
    const start = Number(left.end) + gap.indexOf(String(operator));
    walk.edits.push({
      start,
      end: start + String(operator).length,
      text: isEquality ? ',' : `, ${JSON.stringify(operator)},`,
    });
    insert(walk, Number(node.end), `, ${place})`);
  };
}

/** Rewrites `new Date(value).getFullYear()`. */
function yearOf(node: Node, walk: Walk, place: Place): boolean {
  const method = methodOf(node) ?? '';
  const made = YEARS.has(method) ? (node.callee as Node).object : undefined;
  if (!isNode(made) || made.type !== 'NewExpression' || nameOf(made.callee) !== 'Date') return false;
  const value = onlyArgument(made);
  return value !== undefined && replaced(node, value, 'year', [method], walk, place);
}

/** Rewrites `new Date(a.born) - new Date(b.born)` in the comparison of a sort, and `new Date(born) < date`: only the sign counts. */
function datesOf(node: Node, walk: Walk, place: Place): boolean {
  if (node.type !== 'BinaryExpression' || place.inChain) return false;
  const { left, right, operator } = node as Node & { readonly left: Node; readonly right: Node };
  const dates = [left, right].map(dateOf);
  const isOrder = ORDER.test(String(operator)) && (dates[0] ?? dates[1]) !== undefined;
  const isDifference =
    place.isCompared === true && operator === '-' && dates[0] !== undefined && dates[1] !== undefined;
  if (!isOrder && !isDifference) return false;
  const [a, b] = [dates[0] ?? left, dates[1] ?? right];
  if (walk.source.slice(Number(a.end), Number(b.start)).includes('\n')) return false;
  const word = dates[1] === undefined ? 'since' : dates[0] === undefined ? 'until' : 'dates';
  walk.edits.push({ start: Number(node.start), end: Number(a.start), text: `${VALUES}.${word}(` });
  visit(a, walk, INSIDE);
  walk.edits.push({ start: Number(a.end), end: Number(b.start), text: ', ' });
  visit(b, walk, INSIDE);
  const sign = isOrder ? ` ${operator} 0` : '';
  const text = `, ${placeOf(node, 'new Date', walk)})${sign}`;
  walk.edits.push({ start: Number(b.end), end: Number(node.end), text });
  return true;
}

/** Rewrites `Math.floor((now - new Date(born)) / year)`. */
function spansOf(node: Node, walk: Walk, { inChain, inSort }: Place): boolean {
  if (inChain || methodOf(node) !== 'floor' || nameOf((node.callee as Node).object) !== 'Math') return false;
  const quotient = onlyArgument(node);
  if (quotient?.type !== 'BinaryExpression' || quotient.operator !== '/') return false;
  const difference = inner(quotient.left as Node);
  const value =
    difference.type === 'BinaryExpression' && difference.operator === '-'
      ? dateOf(difference.right as Node)
      : undefined;
  const [time, span] = [difference.left as Node, quotient.right as Node];
  if (value === undefined || walk.source.slice(Number(node.start), Number(node.end)).includes('\n')) return false;
  let from = Number(node.start);
  const given = { inChain: false, inSort };
  for (const [each, before] of [
    [time, `${VALUES}.spans(`],
    [value, ', '],
    [span, ', '],
  ] as const) {
    walk.edits.push({ start: from, end: Number(each.start), text: before });
    visit(each, walk, given);
    from = Number(each.end);
  }
  walk.edits.push({ start: from, end: Number(node.end), text: `, ${placeOf(node, 'new Date', walk)})` });
  return true;
}

/** Comparisons of a position, and whether they hold where there is one. */
const POSITIONS: ReadonlyMap<string, boolean> = new Map([
  ...(['>= 0', '> -1', '!== -1', '!= -1'] as const).map((each) => [each, true] as const),
  ...(['< 0', '=== -1', '== -1'] as const).map((each) => [each, false] as const),
]);

/** Rewrites `value.indexOf(text) >= 0`, of which only the sign counts. */
function foundOf(node: Node, walk: Walk, { inChain, inSort }: Place): boolean {
  if (node.type !== 'BinaryExpression' || inChain || walk.reports) return false;
  const call = node.left as Node;
  const text = methodOf(call) === 'indexOf' ? onlyArgument(call) : undefined;
  const isFound = POSITIONS.get(`${node.operator} ${textOf(node.right, walk)}`);
  if (text === undefined || isFound === undefined || hasOptional(call)) return false;
  const object = (call.callee as Node).object as Node;
  const between = (from: unknown, to: unknown) => walk.source.slice(Number(from), Number(to));
  if (isPlain(object) || `${between(object.end, text.start)}${between(text.end, node.end)}`.includes('\n'))
    return false;
  const given = { inChain: false, inSort };
  insert(walk, Number(node.start), `${isFound ? '' : '!'}${VALUES}.has(`);
  visit(object, walk, given);
  walk.edits.push({ start: Number(object.end), end: Number(text.start), text: ', ' });
  visit(text, walk, given);
  const place = placeOf((call.callee as Node).property as Node, '.indexOf', walk);
  walk.edits.push({ start: Number(text.end), end: Number(node.end), text: `, ${place})` });
  return true;
}

/** Rewrites `value.slice(value.indexOf('@') + 1)`. */
function domainOf(node: Node, walk: Walk, place: Place): boolean {
  const method = methodOf(node) ?? '';
  if (!/^(?:slice|substring|substr)$/.test(method)) return false;
  const { object } = node.callee as Node;
  const [sum, ...others] = node.arguments as readonly Node[];
  if (!isNode(object) || others.length > 0 || sum?.type !== 'BinaryExpression' || sum.operator !== '+') return false;
  const search = sum.left as Node;
  const name = methodOf(search) ?? '';
  const isSearch =
    /^(?:lastI|i)ndexOf$/.test(name) && textOf(search.callee, walk).startsWith(`${textOf(object, walk)}.`);
  const wanted = (search.arguments as readonly Node[] | undefined) ?? [];
  if (!isSearch || wanted.length !== 1 || wanted[0]?.value !== '@' || (sum.right as Node).value !== 1) return false;
  return isField(object) || object.type === 'Identifier'
    ? replaced(node, object, 'domain', [name, method], walk, place)
    : false;
}

/** Rewrites `createHash('sha256').update(value).digest('hex')`. */
function hashOf(node: Node, walk: Walk, { inChain, inSort }: Place): boolean {
  if (methodOf(node) !== 'digest' || onlyArgument(node)?.value !== 'hex' || inChain) return false;
  const update = (node.callee as Node).object as Node;
  const value = methodOf(update) === 'update' ? onlyArgument(update) : undefined;
  const made = value && ((update.callee as Node).object as Node);
  const algorithm = made?.type === 'CallExpression' ? onlyArgument(made)?.value : undefined;
  const name = made && (methodOf(made) ?? nameOf(made.callee));
  if (value === undefined || made === undefined || name !== 'createHash' || typeof algorithm !== 'string') return false;
  const breaks = (from: unknown, to: unknown) => walk.source.slice(Number(from), Number(to)).replaceAll(/[^\n]/g, '');
  insert(walk, Number(node.start), `${VALUES}.hash(`);
  walk.edits.push({ start: Number(made.end), end: Number(value.start), text: `, ${breaks(made.end, value.start)}` });
  visit(value, walk, { inChain: false, inSort });
  const text = `, ${breaks(value.end, node.end)}${JSON.stringify(algorithm)}, ${placeOf(node, 'createHash', walk)})`;
  walk.edits.push({ start: Number(value.end), end: Number(node.end), text });
  return true;
}

/** Replaces a whole expression by a call with its operand. */
function replaced(
  node: Node,
  operand: Node,
  word: string,
  words: readonly string[],
  walk: Walk,
  place: Place,
): boolean {
  const [before, after] = [
    walk.source.slice(Number(node.start), Number(operand.start)),
    walk.source.slice(Number(operand.end), Number(node.end)),
  ];
  if (place.inChain || `${before}${after}`.includes('\n')) return false;
  walk.edits.push({ start: Number(node.start), end: Number(operand.start), text: `${VALUES}.${word}(` });
  visit(operand, walk, { inChain: false, inSort: place.inSort });
  const given = [...words.map((each) => JSON.stringify(each)), placeOf(node, `.${words.at(-1)}`, walk)].join(', ');
  walk.edits.push({ start: Number(operand.end), end: Number(node.end), text: `, ${given})` });
  return true;
}

function insert({ edits }: Walk, at: number, text: string): void {
  edits.push({ start: at, end: at, text });
}

function placeOf(node: Node, what: string, { source }: Walk): string {
  return JSON.stringify(`line ${positionAt(source, Number(node.start)).line}: ${what}`);
}

function textOf(node: unknown, { source }: Walk): string {
  return isNode(node) ? source.slice(Number(node.start), Number(node.end)) : '';
}
