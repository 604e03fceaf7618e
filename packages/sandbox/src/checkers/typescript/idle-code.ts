import { visitorKeys } from 'oxc-parser';
import { isName, isNode, type Node, type Span, spanOf } from './nodes.ts';

/** Code that does nothing as it is written: a call that nothing awaits, or a function that nothing calls. */
export interface IdleCode extends Span {
  readonly kind: 'missing-await' | 'other';
  readonly message: string;
  readonly fix: string;
}

/** The facts about a program that show which of its code is idle. */
export interface IdleContext {
  /** Returns whether a call with these arguments is a call of a tool. */
  isTool(callee: Node, args: readonly unknown[]): boolean;
  /** How often each name is used, its declaration included. */
  readonly uses: ReadonlyMap<string, number>;
}

/** Methods of lists that do not await their callbacks. A promise is a truthy value for them. */
const NOT_WAITING = new Set('forEach filter find findIndex findLast findLastIndex some every sort toSorted'.split(' '));
/** Methods of a promise whose callback a program wants to wait for. With `catch` alone, it ignores the call's end. */
const CHAINED = new Set(['then', 'finally']);
const DECLARATION =
  /^(?:Import|Function|Class|TS\w+|ExportAll)Declaration$|^(?:ArrowFunction|Function|Object|Array)Expression$|^(?:Template)?Literal$|^Identifier$/;
const AWAIT_CALL = 'Write await before the call.';

/** Returns the idle code of a program, given its top-level statements. */
export function findIdleCode(body: readonly Node[], context: IdleContext): IdleCode[] {
  const found: IdleCode[] = neverCalled(body, context);
  const promises = new Set<string>();
  // The last expression gives the result of the program, which is awaited.
  const result = body.at(-1);
  const visit = (node: Node) => {
    const idle = node === result ? undefined : idleIn(node, promises, context);
    if (idle) found.push(idle);
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      for (const entry of Array.isArray(child) ? child : [child]) if (isNode(entry)) visit(entry);
    }
  };
  for (const node of body) visit(node);
  return found;
}

function idleIn(node: Node, promises: Set<string>, context: IdleContext): IdleCode | undefined {
  if (node.type === 'VariableDeclaration' && node.kind === 'const') addPromises(node, promises, context);
  if (node.type === 'ExpressionStatement' && isUnsettled(node.expression, context)) {
    return { ...spanOf(node), kind: 'missing-await', message: 'the call is not awaited', fix: AWAIT_CALL };
  }
  if (node.type !== 'CallExpression') return undefined;
  const { callee, arguments: given } = node as unknown as { callee: Node; arguments: readonly Node[] };
  if (callee.type !== 'MemberExpression' || !isNode(callee.property)) return undefined;
  const method = String(callee.property.name);
  if (NOT_WAITING.has(method) && isNode(given[0]) && givesPromise(given[0], context)) {
    const message = `'${method}' does not await its callback`;
    const fix = 'Write a loop: for (const item of list) { … await … }.';
    return { ...spanOf(node), kind: 'missing-await', message, fix };
  }
  const isPromise = (arg: Node) => promises.has(String(arg.name)) || isToolCall(arg, context);
  if (isNode(callee.object) && isName(callee.object, 'console') && given.some(isPromise)) {
    return { ...spanOf(node), kind: 'missing-await', message: 'a Promise is logged', fix: AWAIT_CALL };
  }
  return undefined;
}

function addPromises({ declarations }: Node, promises: Set<string>, context: IdleContext): void {
  for (const { id, init } of declarations as readonly { id: Node; init: unknown }[]) {
    if (id.type === 'Identifier' && isToolCall(init, context)) promises.add(String(id.name));
  }
}

function isToolCall(node: unknown, { isTool }: IdleContext): boolean {
  return isNode(node) && node.type === 'CallExpression' && isTool(node.callee as Node, node.arguments as Node[]);
}

/** Returns whether an expression is a call of a tool, or `then` and the like on one. */
function isUnsettled(node: unknown, context: IdleContext): boolean {
  if (!isNode(node) || node.type !== 'CallExpression') return false;
  const callee = node.callee as Node;
  const method = callee.type === 'MemberExpression' ? String((callee.property as Node).name) : '';
  if (CHAINED.has(method)) return isUnsettled(withoutCatch(callee.object), context);
  return method === 'catch' ? isThenChain(callee.object, context) : isToolCall(node, context);
}

/** Returns whether an expression has a `then` on a call of a tool. */
function isThenChain(node: unknown, context: IdleContext): boolean {
  return isUnsettled(node, context) && !isToolCall(node, context);
}

/** Returns the expression before `.catch(…)`. */
function withoutCatch(node: unknown): unknown {
  if (!isNode(node) || node.type !== 'CallExpression') return node;
  const callee = node.callee as Node;
  const isCatch = callee.type === 'MemberExpression' && (callee.property as Node).name === 'catch';
  return isCatch ? callee.object : node;
}

function givesPromise(callback: Node, context: IdleContext): boolean {
  if (!/Function/.test(callback.type)) return false;
  return callback.async === true || isToolCall(callback.body, context);
}

/** Returns the main function of a program that only declares functions: nothing runs. */
function neverCalled(body: readonly Node[], { uses }: IdleContext): IdleCode[] {
  const statements = body.map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node));
  if (!statements.every((node) => isNode(node) && onlyDeclares(node))) return [];
  const functions = statements.flatMap((node) => (isNode(node) ? functionsOf(node) : []));
  const unused = functions.filter(({ name }) => uses.get(name) === 1);
  const main = unused.find(({ name }) => name === 'main') ?? unused.at(-1);
  if (!main) return [];
  const { name, node } = main;
  return [
    { ...spanOf(node), kind: 'other', message: `'${name}' is never called`, fix: `Add a last line: await ${name}()` },
  ];
}

function onlyDeclares(node: Node): boolean {
  if (node.type !== 'VariableDeclaration') return DECLARATION.test(node.type);
  const inits = (node.declarations as readonly { init: unknown }[]).map(({ init }) => init);
  return inits.every((init) => !isNode(init) || DECLARATION.test(init.type));
}

function functionsOf(node: Node): { readonly name: string; readonly node: Node }[] {
  if (node.type === 'FunctionDeclaration') return [{ name: String((node.id as Node).name), node }];
  if (node.type !== 'VariableDeclaration') return [];
  return (node.declarations as readonly { id: Node; init: unknown }[])
    .filter(({ init }) => isNode(init) && /Function/.test(init.type))
    .map(({ id }) => ({ name: String(id.name), node }));
}
