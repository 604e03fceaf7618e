import type { Node } from '../../typescript/parse.ts';
import { type Token, UnknownSyntax } from './tokens.ts';

const KEYWORDS: ReadonlySet<string> = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
/** Binary operators by precedence, the weakest first. */
const LEVELS: readonly (readonly string[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '//', '%', '@'],
];
const MAX_DEPTH = 200;

/** Reads the expressions of Python from tokens, as nodes whose names are those of JavaScript where the meaning is the same. */
export class ExpressionParser {
  protected readonly tokens: readonly Token[];
  protected at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  protected get token(): Token {
    return this.tokens[this.at] as Token;
  }

  /** Returns whether the next token is one of these operators or keywords. */
  protected is(...texts: readonly string[]): boolean {
    const { kind, text } = this.token;
    return (kind === 'operator' || kind === 'name') && texts.includes(text);
  }

  protected take(...texts: readonly string[]): string | undefined {
    return this.is(...texts) ? this.tokens[this.at++]?.text : undefined;
  }

  protected expect(...texts: readonly string[]): void {
    if (this.take(...texts) === undefined) throw new UnknownSyntax();
  }

  protected takeKind(kind: Token['kind']): boolean {
    const found = this.token.kind === kind;
    if (found) this.at++;
    return found;
  }

  protected name(): string {
    const { kind, text } = this.token;
    if (kind !== 'name' || KEYWORDS.has(text)) throw new UnknownSyntax();
    this.at++;
    return text;
  }

  /** Reads an expression without commas, except `:=` and stars. */
  expression(): Node {
    if (++this.#depth > MAX_DEPTH) throw new UnknownSyntax();
    const node = this.is('lambda') ? this.#lambda() : this.#conditional();
    this.#depth--;
    return node;
  }

  /** Reads an expression that may assign a name. */
  protected named(): Node {
    const left = this.expression();
    if (left.type !== 'Identifier' || !this.take(':=')) return left;
    return { type: 'AssignmentExpression', operator: '=', left, right: this.expression() };
  }

  protected starred(): Node {
    return this.take('*') ? { type: 'SpreadElement', argument: this.#binary(0) } : this.named();
  }

  /** Reads an expression that may be a tuple without brackets, or a `yield`. */
  protected expressions(): Node {
    if (this.is('yield')) return this.#yield();
    return this.#tupleAfter(this.starred());
  }

  #tupleAfter(first: Node): Node {
    if (!this.is(',')) return first;
    const elements = [first];
    while (this.take(',') && !this.#isEnd()) elements.push(this.starred());
    return { type: 'ArrayExpression', elements };
  }

  #isEnd(): boolean {
    return (
      /^(?:newline|end)$/.test(this.token.kind) || this.is(')', ']', '}', '=', ':', ';', 'in') || this.#isAugmented()
    );
  }

  #isAugmented(): boolean {
    return this.token.kind === 'operator' && /^(?:\*\*|\/\/|>>|<<|[-+*/%@&|^])=$/.test(this.token.text);
  }

  #yield(): Node {
    this.expect('yield');
    if (this.take('from')) return { type: 'Yield', argument: this.expression(), isFrom: true };
    return { type: 'Yield', argument: this.#isEnd() ? null : this.expressions(), isFrom: false };
  }

  #lambda(): Node {
    this.expect('lambda');
    const params = this.parameters(':', false);
    this.expect(':');
    return { type: 'ArrowFunctionExpression', params, body: this.expression() };
  }

  /** Reads parameters up to a bracket or colon. */
  protected parameters(end: string, hasTypes: boolean): readonly Node[] {
    const params: Node[] = [];
    let isKeyword = false;
    while (!this.is(end)) {
      const star = this.take('**', '*', '/');
      if (star === '/') {
        for (const [index, each] of params.entries()) params[index] = { ...each, kind: 'positional' };
      } else if (star === '*' && this.is(',')) isKeyword = true;
      else {
        const name = this.name();
        const annotation = hasTypes && this.take(':') ? this.starred() : undefined;
        const value = star === undefined && this.take('=') ? this.expression() : undefined;
        const kind = star === '*' ? 'list' : star === '**' ? 'dict' : isKeyword ? 'keyword' : 'any';
        params.push({ type: 'Parameter', name, kind, value, annotation });
        isKeyword ||= star === '*';
      }
      if (!this.take(',')) break;
    }
    return params;
  }

  #conditional(): Node {
    const consequent = this.#or();
    if (!this.take('if')) return consequent;
    const test = this.#or();
    this.expect('else');
    return { type: 'ConditionalExpression', test, consequent, alternate: this.expression() };
  }

  #or(): Node {
    let left = this.#and();
    while (this.take('or')) left = { type: 'LogicalExpression', left, right: this.#and() };
    return left;
  }

  #and(): Node {
    let left = this.#not();
    while (this.take('and')) left = { type: 'LogicalExpression', left, right: this.#not() };
    return left;
  }

  #not(): Node {
    let count = 0;
    while (this.take('not')) count++;
    const node = this.#comparison();
    return count === 0 ? node : { type: 'UnaryExpression', argument: node };
  }

  #comparison(): Node {
    let left = this.#binary(0);
    for (;;) {
      if (this.take('not')) this.expect('in');
      else if (this.take('is')) this.take('not');
      else if (!this.take('in', '<', '>', '<=', '>=', '==', '!=')) return left;
      left = { type: 'BinaryExpression', left, right: this.#binary(0) };
    }
  }

  #binary(level: number): Node {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (let operator = this.take(...operators); operator; operator = this.take(...operators))
      left = { type: 'Arithmetic', operator, left, right: this.#binary(level + 1) };
    return left;
  }

  #unary(): Node {
    if (++this.#depth > MAX_DEPTH) throw new UnknownSyntax();
    const sign = this.take('-', '+', '~');
    const node = sign === undefined ? this.#power() : this.#unary();
    this.#depth--;
    if (sign === undefined || (node.type === 'Literal' && typeof node.value === 'number')) return node;
    return { type: 'UnaryExpression', argument: node };
  }

  #power(): Node {
    const isAwaited = this.take('await') !== undefined;
    const primary = this.#primary();
    const left = isAwaited ? { type: 'AwaitExpression', argument: primary } : primary;
    return this.take('**') ? { type: 'Arithmetic', operator: '**', left, right: this.#unary() } : left;
  }

  #primary(): Node {
    let node = this.#atom();
    for (;;) {
      if (this.take('.')) {
        node = { type: 'MemberExpression', object: node, property: { type: 'Identifier', name: this.name() } };
      } else if (this.take('(')) node = { type: 'CallExpression', callee: node, arguments: this.arguments() };
      else if (this.take('[')) node = { type: 'Subscript', object: node, property: this.#subscript(), computed: true };
      else return node;
    }
  }

  /** Reads arguments up to the closing bracket. */
  protected arguments(): readonly Node[] {
    const found: Node[] = [];
    while (!this.take(')')) {
      if (this.take('**')) found.push({ type: 'KeywordSpread', argument: this.expression() });
      else if (
        this.token.kind === 'name' &&
        this.tokens[this.at + 1]?.text === '=' &&
        this.tokens[this.at + 1]?.kind === 'operator'
      ) {
        const name = this.name();
        this.expect('=');
        found.push({ type: 'KeywordArgument', name, value: this.expression() });
      } else {
        const first = this.starred();
        found.push(this.is('for', 'async') ? this.#comprehension('generator', first) : first);
      }
      if (!this.is(')')) this.expect(',');
    }
    return found;
  }

  #subscript(): Node {
    const parts: Node[] = [];
    let isTuple = false;
    while (!this.take(']')) {
      parts.push(this.#slice());
      if (!this.is(']')) {
        this.expect(',');
        isTuple = true;
      }
    }
    const [only] = parts;
    if (only === undefined) throw new UnknownSyntax();
    return isTuple ? { type: 'ArrayExpression', elements: parts } : only;
  }

  #slice(): Node {
    const parts: Node[] = [];
    let isSlice = false;
    while (!this.is(',', ']')) {
      if (this.take(':')) isSlice = true;
      else parts.push(this.starred());
    }
    const [only] = parts;
    if (!isSlice && (only === undefined || parts.length > 1)) throw new UnknownSyntax();
    return isSlice ? { type: 'Slice', parts } : (only as Node);
  }

  #atom(): Node {
    const { kind } = this.token;
    if (kind === 'string') return this.#strings();
    if (kind === 'number') {
      this.at++;
      return { type: 'Literal', value: 1 };
    }
    if (this.take('(')) return this.#inBrackets();
    if (this.take('[')) return this.#list();
    if (this.take('{')) return this.#braces();
    // `True` is the same key as `1`.
    if (this.take('True', 'False')) return { type: 'Literal', value: 1 };
    if (this.take('None', '...')) return { type: 'Literal', value: null };
    return { type: 'Identifier', name: this.name() };
  }

  #inBrackets(): Node {
    if (this.take(')')) return { type: 'ArrayExpression', elements: [] };
    const first = this.is('yield') ? this.#yield() : this.starred();
    const node = this.is('for', 'async') ? this.#comprehension('generator', first) : this.#tupleAfter(first);
    this.expect(')');
    return node;
  }

  #list(): Node {
    const elements: Node[] = [];
    while (!this.take(']')) {
      elements.push(this.starred());
      if (this.is('for', 'async')) {
        const node = this.#comprehension('list', elements[0] as Node);
        this.expect(']');
        return node;
      }
      if (!this.is(']')) this.expect(',');
    }
    return { type: 'ArrayExpression', elements };
  }

  #braces(): Node {
    const properties: Node[] = [];
    const elements: Node[] = [];
    while (!this.take('}')) {
      if (this.take('**')) properties.push({ type: 'SpreadElement', argument: this.#binary(0) });
      else {
        const first = this.starred();
        if (this.take(':')) properties.push({ type: 'Property', key: first, value: this.expression(), computed: true });
        else elements.push(first);
      }
      if (this.is('for', 'async')) {
        const [pair] = properties;
        const node = this.#comprehension(pair ? 'dict' : 'set', pair ?? (elements[0] as Node));
        this.expect('}');
        return node;
      }
      if (!this.is('}')) this.expect(',');
    }
    return elements.length > 0 ? { type: 'SetExpression', elements } : { type: 'ObjectExpression', properties };
  }

  #comprehension(kind: 'list' | 'set' | 'dict' | 'generator', element: Node): Node {
    const clauses: Node[] = [];
    while (this.is('for', 'async')) {
      this.take('async');
      this.expect('for');
      const target = this.targets();
      this.expect('in');
      const list = this.#or();
      const conditions: Node[] = [];
      while (this.take('if')) {
        const condition = this.#or();
        conditions.push(
          condition.type === 'Identifier' && this.take(':=')
            ? { type: 'AssignmentExpression', operator: '=', left: condition, right: this.expression() }
            : condition,
        );
      }
      clauses.push({ type: 'Clause', target, list: this.is('if', 'else') ? fail() : list, conditions });
    }
    return { type: 'Comprehension', kind, element, clauses };
  }

  /** Reads the targets of a loop, before `in`. */
  protected targets(): Node {
    const elements: Node[] = [];
    let isTuple = false;
    do {
      if (this.is('in')) break;
      elements.push(this.take('*') ? { type: 'SpreadElement', argument: this.#primary() } : this.#primary());
      isTuple ||= this.is(',');
    } while (this.take(','));
    const [only] = elements;
    return isTuple || only === undefined ? { type: 'ArrayExpression', elements } : only;
  }

  /** Reads texts that follow each other: they are one text. */
  #strings(): Node {
    const tokens: Token[] = [];
    while (this.token.kind === 'string') tokens.push(this.tokens[this.at++] as Token);
    const expressions = tokens.flatMap(({ fields }) => fields ?? []).map((each) => new FieldParser(each).field());
    if (tokens.some(({ isBytes }) => isBytes)) return { type: 'Literal', value: {} };
    if (tokens.some(({ value }) => value === undefined)) return { type: 'TemplateLiteral', expressions };
    return { type: 'Literal', value: tokens.map(({ value }) => value).join('') };
  }
}

class FieldParser extends ExpressionParser {
  field(): Node {
    const node = this.expressions();
    if (!this.takeKind('newline')) throw new UnknownSyntax();
    return node;
  }
}

function fail(): never {
  throw new UnknownSyntax();
}
