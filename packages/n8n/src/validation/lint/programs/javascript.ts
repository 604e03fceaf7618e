import type { Syntax } from '../../syntax.ts';
import type { Mistake, RunMode } from './mistake.ts';
import { nameMistakes } from './names.ts';
import { returnedTexts } from './returns.ts';

const COMMENT_LINE = /^\s*(?:\/\/|\/\*|\*)/;
const OF_ALL_ITEMS = /\$input\s*\.\s*(first|last|all|itemMatching)\b/;
const IMPORT = /^[ \t]*import\s+(?:[\w${*]|['"])/m;
const REQUIRED = /(?<![\w$.])require\s*\(\s*['"`]([^'"`]{1,100})['"`]\s*\)/;
const FETCH = /(?<![\w$.])fetch\s*\(/;
const OWN_FETCH = /\b(?:function|const|let|var)\s+fetch\b/;
/** An expression of n8n, which means nothing in a program. */
const BRACES = /\{\{\s*(\$[^{}]{1,300}?)\s*\}\}/g;
const UNAWAITED =
  /((?:const|let|var)\s+([\w$]{1,60})\s*=\s*)((?:this\s*\.\s*)?\$?helpers\s*\.\s*(?:httpRequest|request|getBinaryDataBuffer|prepareBinaryData)\w*\s*\()/g;

const AWAITED = /\bawait\s+([\w$]{1,60})/g;
/** The result of an asynchronous map, without Promise.all. */
const RETURNED_PROMISES = /^[ \t]*return[ \t]+(?!await\b|Promise\b)[\w$.() \t]{1,200}\.map\(\s*async\b/m;

/** Returns the syntax error of the body of an asynchronous function; undefined for none, and for a text that is not read. */
export function programProblem(code: string, syntax: Syntax): string | undefined {
  const problem = syntax.problemOf(`async () => {\n${code}\n}`);
  return problem !== undefined && /^(?:too complex|not read)/.test(problem) ? undefined : problem;
}

/** Returns the mistakes of a JavaScript program of a Code node that its text decides. Nothing runs. */
export function mistakesInJavaScript(code: string, mode: RunMode, syntax: Syntax): Mistake[] {
  const lines = code.split('\n').filter((line) => !COMMENT_LINE.test(line));
  const text = lines.join('\n');
  const problem = programProblem(code, syntax);
  if (problem !== undefined) return [syntaxMistake(text, problem)];
  const mistakes = [
    ...modeMistakes(text, mode),
    ...moduleMistakes(text),
    ...awaitMistakes(text),
    ...returnMistakes(code, mode),
  ];
  return mistakes.length > 0 ? mistakes : nameMistakes(code, mode);
}

/**
 * Returns a program without mistakes that have one solution: expressions in braces and missing `await`. Returns the same program when the
 * result does not parse.
 */
export function repairedJavaScript(code: string, syntax: Syntax): string {
  const broken = programProblem(code, syntax) !== undefined;
  const repaired = broken ? code.replace(BRACES, '$1') : withAwait(code);
  return repaired !== code && programProblem(repaired, syntax) === undefined ? repaired : code;
}

function syntaxMistake(text: string, problem: string): Mistake {
  const message = `The program does not parse: ${problem}. The node fails at execution.`;
  if (IMPORT.test(text)) {
    const fix =
      'A Code node cannot import. Use the names that n8n defines: $input, $, DateTime, this.helpers.httpRequest.';
    return { code: 'CODE_MODULE', message, fix };
  }
  const [braces] = text.match(BRACES) ?? [];
  const fix =
    braces === undefined
      ? 'Correct the program. n8n runs it as the body of an asynchronous function.'
      : `Write ${braces.replace(/^\{\{\s*|\s*\}\}$/g, '')} without braces: a program is no expression.`;
  return { code: 'CODE_SYNTAX', message, fix };
}

function modeMistakes(text: string, mode: RunMode): Mistake[] {
  const method = mode === 'each' ? OF_ALL_ITEMS.exec(text)?.[1] : undefined;
  if (method === undefined) return [];
  const message = `$input.${method}() does not exist in the mode "Run Once for Each Item"; the node fails.`;
  const fix = 'Use $input.item, or set parameters.mode to "runOnceForAllItems" and return a list.';
  return [{ code: 'CODE_MODE', message, fix }];
}

function moduleMistakes(text: string): Mistake[] {
  const module = REQUIRED.exec(text)?.[1];
  if (module !== undefined) {
    const message = `The program requires "${module}", which n8n does not allow by default; the node fails.`;
    const fix = `Use a node such as crypto or dateTime instead, or allow "${module}" in NODE_FUNCTION_ALLOW_BUILTIN or NODE_FUNCTION_ALLOW_EXTERNAL of n8n.`;
    return [{ code: 'CODE_MODULE', message, fix }];
  }
  if (!FETCH.test(text) || OWN_FETCH.test(text)) return [];
  const message = 'The program calls fetch, which a Code node does not have; the node fails.';
  const fix = 'Write await this.helpers.httpRequest({ method: "GET", url, json: true }), or use an httpRequest node.';
  return [{ code: 'CODE_MODULE', message, fix }];
}

function awaitMistakes(text: string): Mistake[] {
  if (RETURNED_PROMISES.test(text)) {
    const message = 'The program returns a list of promises, because map has an asynchronous function; the node fails.';
    return [{ code: 'CODE_AWAIT', message, fix: 'Write return await Promise.all(…) around the call of map.' }];
  }
  if (withAwait(text) === text) return [];
  const message = 'The program uses the result of a request without await; it is a promise, not the data.';
  return [{ code: 'CODE_AWAIT', message, fix: 'Write await in front of the call.' }];
}

/** Adds `await` to requests whose promise the program never uses as one. */
function withAwait(text: string): string {
  if (/\bPromise\b|\.then\s*\(/.test(text)) return text;
  const awaited = new Set([...text.matchAll(AWAITED)].map(([, name]) => name));
  return text.replace(UNAWAITED, (all: string, start: string, name: string, call: string) =>
    awaited.has(name) ? all : `${start}await ${call}`,
  );
}

const FORMS: ReturnForms = {
  single:
    /^[ \t]*(?:"[^"\\\n]*"|'[^'\\\n]*'|\d+(?:\.\d+)?|true|false|[A-Za-z_$][^;\n?{}|&:]{0,300}\.(?:length|join\([^()\n]{0,40}\)|toString\(\)|toISOString\(\)))[ \t]*(?:;|\}|\n|$)/,
  list: /^[ \t]*\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]\s*(?:;|\}|$)/,
  listOfSingles: /^[ \t]*\[\s*(?:"[^"\\\n]*"|'[^'\\\n]*'|\d+(?:\.\d+)?)\s*[,\]]/,
  jsonOfSingle:
    /^[ \t]*\[?\s*\{\s*["']?json["']?\s*:\s*(?:"[^"\\\n]*"|'[^'\\\n]*'|\d+(?:\.\d+)?|true|false|null|\[[^[\]{}()]*\]|JSON\s*\.\s*stringify\([^()]*\))\s*[,}]/,
  good: { each: 'one object: return {json: {x: 1}}', all: 'a list of items: return [{json: {x: 1}}]' },
};

/** Values that are looked at. */
const MAX_RETURNS = 100;

function returnMistakes(code: string, mode: RunMode): Mistake[] {
  let left = MAX_RETURNS;
  for (const text of returnedTexts(code)) {
    if (left-- === 0) break;
    const mistakes = wrongReturn(text, mode, FORMS);
    if (mistakes.length > 0) return mistakes;
  }
  return [];
}

/** Returned values of a language that fail, and the ones to return. */
export interface ReturnForms {
  readonly single: RegExp;
  readonly jsonOfSingle: RegExp;
  readonly list: RegExp;
  readonly listOfSingles?: RegExp;
  readonly good: Readonly<Record<RunMode, string>>;
}

/** Returns the mistake of a returned value; none if its text decides none. */
export function wrongReturn(text: string, mode: RunMode, forms: ReturnForms): Mistake[] {
  const what = forms.single.test(text)
    ? 'a single value'
    : forms.jsonOfSingle.test(text)
      ? 'an item whose json is no object'
      : mode === 'each' && forms.list.test(text)
        ? 'a list, but it runs once for each item'
        : mode === 'all' && forms.listOfSingles?.test(text)
          ? 'a list of single values'
          : undefined;
  if (what === undefined) return [];
  const message = `The program returns ${what}; the node fails.`;
  return [{ code: 'CODE_RETURN', message, fix: `Return ${forms.good[mode]}.` }];
}
