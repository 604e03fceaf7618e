import { visitorKeys } from 'oxc-parser';
import { blank, withoutFence } from '../../markdown-fence.ts';
import { computedEdits, VALUES } from '../computed/computed.ts';
import { isNode, type Node, nameOf, parseProgram, positionAt } from '../parse.ts';
import { SHEBANG } from '../prepare.ts';
import { applyEdits, type Edit } from '../shape.ts';
import { type WatchedNames, watchRuntime } from './watch-runtime.ts';

/** The object of a watched program that its inserted calls use. */
const WATCH = '__toolwright_watch';

/** Members of texts that pass the text on. All other members read it. */
const PASSED_ON = new Set([
  'toString',
  'valueOf',
  'concat',
  'trim',
  'trimEnd',
  'trimStart',
  'normalize',
  'constructor',
]);
const TEXT_MEMBERS = new Set([
  'length',
  ...Object.getOwnPropertyNames(String.prototype).filter((name) => !PASSED_ON.has(name)),
]);
/** Members that search a text for another one. */
const SEARCHES = new Set(
  'includes startsWith endsWith indexOf lastIndexOf search match matchAll replace replaceAll'.split(' '),
);
/** Functions that read their text argument. */
const READERS = new Set(
  'test exec localeCompare compare parse from isInteger isSafeInteger update encode includes startsWith endsWith Number parseInt parseFloat BigInt isNaN isFinite Date RegExp'.split(
    ' ',
  ),
);
/** Members of lists, sets and maps that compare a key with their own. */
/** Functions of rewritten expressions with dates. */
const ON_DATES = new Set('since until dates year spans'.split(' '));
const LOOK_UPS = new Set('includes indexOf lastIndexOf has get getOrInsert delete add set'.split(' '));
const SORTS = new Set(['sort', 'toSorted']);
const COLLECTIONS = new Set(['Set', 'Map']);
const EQUALITY = /^[!=]==?$/;
const ORDER_OR_SUM = /^(?:[<>]=?|[-*/%&|^]|\*\*|<<|>>>?)$/;
/** A pattern that may match a digit. */
const HAS_DIGIT = /\d|\\[dwDW]|\.[*+]/;

/**
 * Returns a rewritten program with calls around the operands that may be texts of placeholders. It does the same, and logs the marker and the
 * line of each operation that reads the text of a watched placeholder.
 */
export function watchTypescript(text: string, watched: WatchedNames): string {
  const plain = withoutFence(text).replace(SHEBANG, blank);
  const parsed = parseProgram(plain);
  if (parsed.problem) throw parsed.problem;
  const source = applyEdits(plain, computedEdits(plain, parsed));
  const { body } = parseProgram(source);
  const walk: Walk = { source, edits: [], harmless: new Set() };
  for (const node of body) visit(node as unknown as Node, walk);
  const start = `const ${WATCH} = (${watchRuntime.toString()})(${JSON.stringify(watched)});\n`;
  return start + applyEdits(source, walk.edits);
}

type Word = keyof ReturnType<typeof watchRuntime>;

interface Walk {
  readonly source: string;
  readonly edits: Edit[];
  /** Members of calls that search for texts without digits, in which no value is found. */
  readonly harmless: Set<unknown>;
}

/** A call around a node; `what` is the operation as a warning names it. */
interface Wrapping {
  readonly node: unknown;
  readonly word: Word;
  readonly what: string;
}

function visit(node: Node, walk: Walk, isInChain = false): void {
  if (node.type.startsWith('TS') && !/Expression$|Assertion$/.test(node.type)) return;
  const isChain = isInChain || node.type === 'ChainExpression';
  if (isComputed(node, 'equal')) {
    const { start, end } = node.callee as Node;
    const place = (node.arguments as readonly Node[]).at(-1) as Node;
    walk.edits.push({ start: Number(start), end: Number(end), text: `${WATCH}.equal` });
    walk.edits.push({ start: Number(place.start), end: Number(place.start), text: "'', " });
  }
  const isEquality = node.type === 'BinaryExpression' && EQUALITY.test(String(node.operator));
  if (isEquality) open(node, 'equal', walk);
  if (node.type === 'CallExpression' && !mayFindDigits(node)) walk.harmless.add(node.callee);
  const wrapped = wrappings(node, walk.harmless.has(node));
  const children = (visitorKeys[node.type] ?? []).flatMap((key) => {
    const child = node[key];
    return (Array.isArray(child) ? child : [child]).filter(isNode);
  });
  for (const child of children) {
    const wrapping = wrapped.find((each) => each.node === child);
    const goesOn = isChain && (child === node.object || child === node.callee || child === node.expression);
    if (wrapping) open(child, wrapping.word, walk);
    visit(child, walk, goesOn);
    if (wrapping) close(child, `, ${placeOf(node, wrapping.what, walk)})`, walk);
    // The call has ended the chain, which goes on if it has a value.
    if (wrapping && isChain && child === node.object && node.optional !== true) optional(node, walk);
  }
  if (isEquality) joinOperands(node, walk);
}

/** Returns whether the arguments of a call may find a digit in a text: a value consists of them. */
function mayFindDigits({ arguments: given }: Node): boolean {
  return (given as readonly Node[]).some(({ type, raw }) => type !== 'Literal' || HAS_DIGIT.test(String(raw)));
}

function open(node: Node, word: Word, { edits }: Walk): void {
  edits.push({ start: Number(node.start), end: Number(node.start), text: `${WATCH}.${word}(` });
}

function close(node: Node, text: string, { edits }: Walk): void {
  edits.push({ start: Number(node.end), end: Number(node.end), text });
}

function placeOf(node: Node, what: string, { source }: Walk): string {
  const property = isNode(node.property) && node.computed !== true ? node.property : node;
  return JSON.stringify(`line ${positionAt(source, Number(property.start)).line}: ${what}`);
}

/** Makes a member of a chain optional: `a.b` becomes `a?.b`, and `a[0]` becomes `a?.[0]`. */
function optional({ object, property, computed }: Node, { source, edits }: Walk): void {
  const from = Number((object as Node).end);
  const dot = computed === true ? source.indexOf('[', from) : source.indexOf('.', from);
  if (dot < 0 || dot >= Number((property as Node).start)) return;
  edits.push({ start: dot, end: computed === true ? dot : dot + 1, text: '?.' });
}

/** Makes the operands of `a === b` the arguments of one call. */
function joinOperands(node: Node, walk: Walk): void {
  const { left, right, operator } = node as Node & { readonly left: Node; readonly right: Node };
  const place = placeOf(node, String(operator), walk);
  const gap = walk.source.slice(Number(left.end), Number(right.start));
  walk.edits.push({ start: Number(left.end), end: Number(right.start), text: gap.replace(String(operator), ',') });
  close(right, `, ${JSON.stringify(operator)}, ${place})`, walk);
}

/** Returns the calls around the parts of a node. */
function wrappings(node: Node, isHarmless: boolean): readonly Wrapping[] {
  const operator = String(node.operator);
  switch (node.type) {
    case 'MemberExpression':
      return memberWrappings(node, isHarmless);
    case 'CallExpression':
    case 'NewExpression':
      return argumentWrappings(node);
    case 'BinaryExpression': {
      const both = (word: Word) => [node.left, node.right].map((each) => ({ node: each, word, what: operator }));
      if (operator === '+') return both('typed');
      if (operator === 'in' && (node.left as Node).type !== 'PrivateIdentifier')
        return [{ node: node.left, word: 'member', what: operator }];
      return ORDER_OR_SUM.test(operator) ? both('read') : [];
    }
    case 'UnaryExpression':
      if (operator === 'typeof' && isNode(node.argument) && node.argument.type !== 'Identifier')
        return [{ node: node.argument, word: 'typed', what: operator }];
      return /^[-+~]$/.test(operator) ? [{ node: node.argument, word: 'read', what: operator }] : [];
    case 'SwitchStatement':
      return [{ node: node.discriminant, word: 'read', what: 'switch' }];
    case 'SpreadElement':
      return [{ node: node.argument, word: 'read', what: '...' }];
    case 'ForOfStatement':
      return [{ node: node.right, word: 'read', what: 'for of' }];
    case 'VariableDeclarator':
      return isNode(node.id) && node.id.type === 'ArrayPattern' ? [{ node: node.init, word: 'read', what: '[…]' }] : [];
    default:
      return [];
  }
}

function memberWrappings({ object, property, computed }: Node, isHarmless: boolean): readonly Wrapping[] {
  if (!isNode(object) || object.type === 'Super') return [];
  if (computed === true) {
    const name = isNode(property) && property.type === 'Literal' ? [] : [property];
    return [
      { node: object, word: 'read', what: '[…]' },
      ...name.map((node): Wrapping => ({ node, word: 'member', what: '[…]' })),
    ];
  }
  const name = nameOf(property) ?? '';
  const word = wordOfMember(name, isHarmless);
  return word === undefined ? [] : [{ node: object, word, what: `.${name}` }];
}

function wordOfMember(name: string, isHarmless: boolean): Word | undefined {
  if (SORTS.has(name)) return 'all';
  if (LOOK_UPS.has(name)) return isHarmless ? 'collection' : 'searchedCollection';
  if (SEARCHES.has(name)) return isHarmless ? 'read' : 'searched';
  return TEXT_MEMBERS.has(name) ? 'read' : undefined;
}

function argumentWrappings(node: Node): readonly Wrapping[] {
  const callee = node.callee as Node;
  const name = nameOf(callee.type === 'MemberExpression' && callee.computed !== true ? callee.property : callee) ?? '';
  const args = (node.arguments as readonly Node[]).filter(({ type }) => type !== 'SpreadElement');
  if (isComputed(node)) {
    const isRead = !/^(?:on|equal|chain|caught|handler)$/.test(name);
    const what = name === 'ordered' ? String(args[1]?.value) : ON_DATES.has(name) ? 'Date' : name;
    return isRead ? args.map((arg) => ({ node: arg, word: 'read', what })) : [];
  }
  if (LOOK_UPS.has(name)) return args.slice(0, 1).map((arg) => ({ node: arg, word: 'key', what: `.${name}` }));
  if (node.type === 'NewExpression' && COLLECTIONS.has(name))
    return args.slice(0, 1).map((arg) => ({ node: arg, word: 'items', what: `new ${name}` }));
  if (!READERS.has(name)) return [];
  const what = callee.type === 'MemberExpression' ? `.${name}` : name;
  const object = callee.type === 'MemberExpression' ? operandOf(callee.object as Node) : undefined;
  const isSearch = isNode(object) && object.regex !== undefined && HAS_DIGIT.test(String(object.raw));
  return args.map((arg) => ({ node: arg, word: isSearch ? 'searched' : 'read', what }));
}

/** Returns the expression that the rewriting of expressions has put into a call. */
function operandOf(node: Node): unknown {
  return isComputed(node, 'on') ? (node.arguments as readonly Node[])[0] : node;
}

/** Returns whether a node is a call that the rewriting of expressions has inserted. */
function isComputed({ type, callee }: Node, name?: string): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return false;
  return nameOf(callee.object) === VALUES && (name === undefined || nameOf(callee.property) === name);
}
