import type { Node } from '../../typescript/parse.ts';
import { ExpressionParser } from './expressions.ts';
import { tokensOf, UnknownSyntax } from './tokens.ts';

/** Returns the statements of a Python program. Raises {@link UnknownSyntax}. */
export function parsePython(source: string): readonly Node[] {
  return new StatementParser(tokensOf(source)).program();
}

class StatementParser extends ExpressionParser {
  program(): readonly Node[] {
    const body: Node[] = [];
    while (!this.takeKind('end')) body.push(...this.#statement());
    return body;
  }

  /** Reads a line of simple statements, or one statement with a block. */
  #statement(): readonly Node[] {
    const decorators: Node[] = [];
    while (this.take('@')) {
      decorators.push(this.named());
      this.#end();
    }
    const isAsync = this.take('async') !== undefined;
    if (this.is('def')) return [this.#function(decorators, isAsync)];
    if (this.is('class') && !isAsync) return [this.#class(decorators)];
    if (decorators.length > 0) throw new UnknownSyntax();
    if (this.take('for')) return [this.#for()];
    if (this.take('with')) return [this.#with()];
    if (isAsync) throw new UnknownSyntax();
    if (this.take('if')) return [this.#if()];
    if (this.take('while')) {
      const test = this.named();
      return [{ type: 'WhileStatement', test, body: this.#block(), orelse: this.#optional('else') }];
    }
    if (this.take('try')) return [this.#try()];
    const match = this.is('match') ? this.#match() : undefined;
    if (match) return [match];
    const line: Node[] = [];
    do {
      if (this.token.kind === 'newline') break;
      line.push(this.#simple());
    } while (this.take(';'));
    this.#end();
    return line;
  }

  #end(): void {
    if (!this.takeKind('newline')) throw new UnknownSyntax();
  }

  #block(): Node {
    this.expect(':');
    if (!this.takeKind('newline')) {
      if (this.is('def', 'class', 'for', 'with', 'if', 'while', 'try', 'async', '@')) throw new UnknownSyntax();
      return { type: 'BlockStatement', body: this.#statement() };
    }
    if (!this.takeKind('indent')) throw new UnknownSyntax();
    const body: Node[] = [];
    while (!this.takeKind('dedent')) body.push(...this.#statement());
    return { type: 'BlockStatement', body };
  }

  #optional(keyword: string): Node | undefined {
    return this.take(keyword) ? this.#block() : undefined;
  }

  #function(decorators: readonly Node[], isAsync: boolean): Node {
    this.expect('def');
    const id: Node = { type: 'Identifier', name: this.name() };
    this.expect('(');
    const params = this.parameters(')', true);
    this.expect(')');
    const returns = this.take('->') ? this.expressions() : undefined;
    return { type: 'FunctionDeclaration', id, params, returns, decorators, isAsync, body: this.#block() };
  }

  #class(decorators: readonly Node[]): Node {
    this.expect('class');
    const id: Node = { type: 'Identifier', name: this.name() };
    const bases = this.take('(') ? this.arguments() : [];
    return { type: 'Class', id, bases, decorators, body: this.#block() };
  }

  #if(): Node {
    const test = this.named();
    const consequent = this.#block();
    const alternate = this.take('elif') ? this.#if() : this.#optional('else');
    return { type: 'IfStatement', test, consequent, alternate };
  }

  #for(): Node {
    const target = this.targets();
    this.expect('in');
    const list = this.expressions();
    return { type: 'For', target, list, body: this.#block(), orelse: this.#optional('else') };
  }

  #try(): Node {
    const block = this.#block();
    const handlers: Node[] = [];
    while (this.take('except')) {
      this.take('*');
      const types = this.is(':') ? undefined : this.expressions();
      const name = this.take('as') ? this.name() : undefined;
      handlers.push({ type: 'Handler', types, name, body: this.#block() });
    }
    const orelse = this.#optional('else');
    return { type: 'Try', block, handlers, orelse, finalizer: this.#optional('finally') };
  }

  #with(): Node {
    // Items in brackets: `with (a as b, c as d):`
    const inBrackets = this.#attempt(() => {
      this.expect('(');
      const items = this.#items(')');
      this.expect(')');
      if (!this.is(':')) throw new UnknownSyntax();
      return items;
    });
    return { type: 'With', items: inBrackets ?? this.#items(':'), body: this.#block() };
  }

  /** Reads tokens that may have another meaning. Undefined, at the same place, if they have. */
  #attempt<Found>(read: () => Found): Found | undefined {
    const start = this.at;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UnknownSyntax)) throw error;
      this.at = start;
      return undefined;
    }
  }

  #items(end: string): readonly Node[] {
    const items: Node[] = [];
    while (!this.is(end)) {
      const context = this.expression();
      const target = this.take('as') ? this.#target() : undefined;
      items.push({ type: 'Item', context, target });
      if (!this.take(',')) break;
    }
    return items;
  }

  #target(): Node {
    return this.take('*') ? { type: 'SpreadElement', argument: this.#target() } : this.expression();
  }

  /** Reads a `match` statement. Undefined if `match` is a name here. */
  #match(): Node | undefined {
    const subject = this.#attempt(() => {
      this.expect('match');
      const found = this.expressions();
      this.expect(':');
      if (!this.takeKind('newline') || !this.takeKind('indent') || !this.is('case')) throw new UnknownSyntax();
      return found;
    });
    if (subject === undefined) return undefined;
    const cases: Node[] = [];
    while (!this.takeKind('dedent')) {
      this.expect('case');
      const pattern = this.#openPattern();
      const guard = this.take('if') ? this.named() : undefined;
      cases.push({ type: 'Case', pattern, guard, body: this.#block() });
    }
    return { type: 'Match', subject, cases };
  }

  #openPattern(): Node {
    const parts = [this.#pattern()];
    while (this.take(',') && !this.is(':', 'if')) parts.push(this.#pattern());
    return { type: 'Pattern', names: [], parts };
  }

  /** A pattern is the names that it sets, the values that it compares with, and the patterns in it. */
  #pattern(): Node {
    const parts = [this.#closedPattern()];
    while (this.take('|')) parts.push(this.#closedPattern());
    return { type: 'Pattern', names: this.take('as') ? [this.name()] : [], parts };
  }

  #closedPattern(): Node {
    const names: string[] = [];
    const parts: Node[] = [];
    const upTo = (end: string) => {
      while (!this.take(end)) {
        if (this.take('**')) names.push(this.name());
        else parts.push(this.#pattern());
        if (this.take(':', '=')) parts.push(this.#pattern());
        if (!this.is(end)) this.expect(',');
      }
    };
    if (this.take('*')) names.push(this.name());
    else if (this.take('(')) upTo(')');
    else if (this.take('[')) upTo(']');
    else if (this.take('{')) upTo('}');
    else if (this.token.kind === 'name' && !this.is('None', 'True', 'False')) {
      const first = this.name();
      const members: string[] = [];
      while (this.take('.')) members.push(this.name());
      if (members.length === 0 && !this.is('(', '=')) names.push(first);
      // A class pattern reads attributes.
      if (this.take('(')) {
        if (members.some((each) => each.startsWith('_'))) throw new UnknownSyntax();
        while (!this.take(')')) {
          const isNamed = this.tokens[this.at + 1]?.text === '=';
          if (isNamed && this.name().startsWith('_')) throw new UnknownSyntax();
          if (isNamed) this.expect('=');
          parts.push(this.#pattern());
          if (!this.is(')')) this.expect(',');
        }
      }
    } else this.#patternValue();
    return { type: 'Pattern', names, parts };
  }

  /** Reads a literal: a number with a sign or a complex one, a text, or a constant. */
  #patternValue(): void {
    this.take('-');
    if (this.takeKind('number')) {
      if (this.take('+', '-')) this.takeKind('number');
      return;
    }
    if (this.token.kind === 'string') {
      while (this.takeKind('string'));
      return;
    }
    this.expect('None', 'True', 'False');
  }

  #simple(): Node {
    if (this.take('pass', 'break', 'continue')) return { type: 'EmptyStatement' };
    if (this.take('return')) {
      const argument = this.token.kind === 'newline' || this.is(';') ? null : this.expressions();
      return { type: 'ReturnStatement', argument };
    }
    if (this.take('raise')) {
      const argument = this.token.kind === 'newline' || this.is(';') ? null : this.expression();
      return { type: 'Raise', argument, cause: this.take('from') ? this.expression() : null };
    }
    if (this.take('del')) return { type: 'Delete', target: this.expressions() };
    if (this.take('assert')) {
      const test = this.expression();
      return { type: 'Assert', test, message: this.take(',') ? this.expression() : null };
    }
    const outer = this.take('global', 'nonlocal');
    if (outer) {
      const names = [this.name()];
      while (this.take(',')) names.push(this.name());
      return { type: 'Outer', isGlobal: outer === 'global', names };
    }
    if (this.take('import')) return { type: 'Import', modules: this.#imported(true) };
    if (this.take('from')) return this.#importFrom();
    return this.#assignment();
  }

  #assignment(): Node {
    const first = this.expressions();
    const operator = /^(?:\*\*|\/\/|>>|<<|[-+*/%@&|^])=$/.test(this.token.text)
      ? this.token.text.slice(0, -1)
      : undefined;
    if (operator !== undefined && this.takeKind('operator')) {
      return { type: 'AugmentedAssign', target: first, operator, value: this.expressions() };
    }
    if (this.take(':')) {
      const annotation = this.expression();
      const value = this.take('=') ? this.expressions() : null;
      return { type: 'Assign', targets: [first], value, annotation };
    }
    if (!this.is('=')) return { type: 'ExpressionStatement', expression: first };
    const parts = [first];
    while (this.take('=')) parts.push(this.expressions());
    return { type: 'Assign', targets: parts.slice(0, -1), value: parts.at(-1) };
  }

  #path(): string {
    let path = this.name();
    while (this.take('.')) path += `.${this.name()}`;
    return path;
  }

  #imported(hasPaths: boolean): readonly Node[] {
    const found: Node[] = [];
    do {
      if (this.is(')')) break;
      const path = hasPaths ? this.#path() : this.name();
      found.push({ type: 'Imported', path, name: this.take('as') ? this.name() : undefined });
    } while (this.take(','));
    return found;
  }

  #importFrom(): Node {
    if (this.is('.', '...')) throw new UnknownSyntax();
    const path = this.#path();
    this.expect('import');
    if (this.is('*')) throw new UnknownSyntax();
    const isInBrackets = this.take('(') !== undefined;
    const names = this.#imported(false);
    if (isInBrackets) this.expect(')');
    return { type: 'ImportFrom', path, names };
  }
}
