import { type ReturnForms, wrongReturn } from './javascript.ts';
import type { Mistake, RunMode } from './mistake.ts';

const IMPORT = /^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)/m;
const BRACES = /\{\{\s*\$(?:json|input|node|\()/;
/** Names of the Python of n8n 1. */
const OLD_NAME = /(?<![\w.])(_input|_json|_node|_now|_today|_vars|_env)\b/;
const FORMS: ReturnForms = {
  single: /^return[ \t]+(?:"[^"\\\n]*"|'[^'\\\n]*'|\d+(?:\.\d+)?|True|False)[ \t]*(?:#.*)?$/m,
  list: /^return[ \t]+\[[^\n]*\][ \t]*(?:#.*)?$/m,
  jsonOfSingle:
    /^return[ \t]+\[?\s*\{\s*["']json["']\s*:\s*(?:"[^"\\\n]*"|'[^'\\\n]*'|\d+(?:\.\d+)?|True|False|None)\s*[,}]/m,
  good: {
    each: 'one object: return {"json": {"x": 1}}',
    all: 'a list: return [{"json": {"x": 1}}]',
  },
};

/** Returns the mistakes of a Python program of a Code node that its text decides. It is not parsed. */
export function mistakesInPython(code: string, mode: RunMode): Mistake[] {
  const text = code.replace(/^[ \t]*#.*$/gm, '');
  return [...nameMistakes(text, mode), ...moduleMistakes(text), ...wrongReturn(text, mode, FORMS)];
}

function nameMistakes(text: string, mode: RunMode): Mistake[] {
  if (BRACES.test(text)) {
    const message = 'The program contains an expression of n8n in braces, which Python cannot read; the node fails.';
    return [{ code: 'CODE_SYNTAX', message, fix: `Read the data from ${itemsOf(mode)}.` }];
  }
  const other = mode === 'each' ? /(?<![\w.])(_items)\b/ : /(?<![\w.])(_item)\b/;
  const name = (OLD_NAME.exec(text) ?? other.exec(text))?.[1];
  if (name === undefined || new RegExp(`^[ \\t]*(?:for[ \\t]+)?${name}[ \\t]*(?:=|in\\b)`, 'm').test(text)) return [];
  const message = `The program uses ${name}, which n8n does not define here; the node fails.`;
  return [{ code: 'CODE_MODE', message, fix: `Use ${itemsOf(mode)}; parameters.mode decides which of them exists.` }];
}

function itemsOf(mode: RunMode): string {
  return mode === 'each' ? '_item["json"]' : '_items, a list with item["json"]';
}

function moduleMistakes(text: string): Mistake[] {
  const module = IMPORT.exec(text)?.[1];
  if (module === undefined) return [];
  const message = `The program imports "${module}", which n8n does not allow by default; the node fails.`;
  const fix = `Work without it, or allow "${module}" in N8N_RUNNERS_STDLIB_ALLOW or N8N_RUNNERS_EXTERNAL_ALLOW of the Python runner.`;
  return [{ code: 'CODE_MODULE', message, fix }];
}
