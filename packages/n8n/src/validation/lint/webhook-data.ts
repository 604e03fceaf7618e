import type { Finding } from '../finding.ts';
import type { Linted, LintRule } from './report.ts';
import { visitTexts } from './texts.ts';

const BASE = 'n8n-nodes-base.';
export const WEBHOOK = `${BASE}webhook`;
/** Keys of the item that a webhook node returns. */
const KEYS = new Set(['headers', 'params', 'query', 'body', 'webhookUrl', 'executionMode']);
/** Nodes that pass items on as they are. */
const PASSES_ON = new Set(
  ['if', 'filter', 'switch', 'noOp', 'limit', 'sort', 'removeDuplicates'].map((name) => BASE + name),
);
/** The key that is read from an item: `.name` or `["name"]`, but no method. */
const KEY = String.raw`(?:\s*\??\.\s*([A-Za-z_$][\w$]*)(?![\w$]|\s*\()|\s*(?:\?\.\s*)?\[\s*["'\`]([^"'\`\]]{1,80})["'\`]\s*\])`;
const OWN_ITEM = new RegExp(
  String.raw`(?<![\w$.])(?:\$json|(?:\$input\s*\.\s*(?:item|first\(\)|last\(\)|all\(\)\s*\[\d+\])|items\s*\[\d+\])\s*\.\s*json)${KEY}`,
  'g',
);
const NAMED_ITEM = new RegExp(
  String.raw`(?:\$\(\s*["'\`]([^"'\`]{1,200})["'\`]\s*\)\s*\.\s*(?:item|first\(\)|last\(\)|all\(\)\s*\[\d+\])|\$node\s*\[\s*["'\`]([^"'\`]{1,200})["'\`]\s*\])\s*\.\s*json${KEY}`,
  'g',
);

/** Reports values of a webhook that are read outside of `body`, where n8n never puts the data of the caller. */
export const webhookDataRule: LintRule = (linted) => {
  const webhooks = new Set(linted.workflow.nodes.flatMap(({ name, type }) => (type === WEBHOOK ? [name] : [])));
  if (webhooks.size === 0) return [];
  const receives = receivers(linted, webhooks);
  return linted.workflow.nodes.flatMap((node) => {
    if (node.disabled || node.type === WEBHOOK) return [];
    const findings: Finding[] = [];
    visitTexts(node.parameters, 'parameters', (text, path, key) => {
      if (!text.startsWith('=') && key !== 'jsCode') return;
      const name = keyBeside(text, webhooks, receives.has(node.name));
      if (name !== undefined) findings.push(beside(node.name, path, name));
    });
    return findings;
  });
};

/** Returns the nodes whose items all come from webhooks, directly or by nodes that pass items on. */
export function receivers({ workflow, graph }: Linted, webhooks: ReadonlySet<string>): Set<string> {
  const typeOf = new Map(workflow.nodes.map(({ name, type }) => [name, type]));
  const sources = new Map<string, string[]>();
  const targets = new Map<string, string[]>();
  for (const { source, target, type } of graph.edges) {
    if (type !== 'main') continue;
    listOf(sources, target).push(source);
    listOf(targets, source).push(target);
  }
  const gives = (name: string): boolean =>
    webhooks.has(name) || (found.has(name) && PASSES_ON.has(typeOf.get(name) ?? ''));
  const found = new Set<string>();
  const queue = [...webhooks];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const target of targets.get(name) ?? []) {
      if (found.has(target) || !(sources.get(target) ?? []).every(gives)) continue;
      found.add(target);
      if (PASSES_ON.has(typeOf.get(target) ?? '')) queue.push(target);
    }
  }
  return found;
}

function listOf(lists: Map<string, string[]>, key: string): string[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}

function keyBeside(text: string, webhooks: ReadonlySet<string>, receives: boolean): string | undefined {
  const own = receives ? [...text.matchAll(OWN_ITEM)].map(([, dotted, quoted]) => dotted ?? quoted) : [];
  const named = [...text.matchAll(NAMED_ITEM)].flatMap(([, direct, indirect, dotted, quoted]) =>
    webhooks.has(direct ?? indirect ?? '') ? [dotted ?? quoted] : [],
  );
  return [...own, ...named].find((key) => key !== undefined && !KEYS.has(key) && !isReadInBody(text, key));
}

/** Returns whether a text reads a key of the body or query too: such as `$json.body.name || $json.name`. */
function isReadInBody(text: string, key: string): boolean {
  return ['body', 'query'].some((part) =>
    [`${part}.${key}`, `${part}?.${key}`, `${part}["${key}"]`, `${part}['${key}']`].some((read) => text.includes(read)),
  );
}

function beside(node: string, path: string, key: string): Finding {
  const message = `${path} reads "${key}" of a webhook's item, which has only headers, params, query and body; the value is undefined.`;
  const fix = `Read the data of the caller from its body: $json.body.${key}, or $json.query.${key} for a GET request.`;
  return { code: 'WEBHOOK_DATA', node, path, message, fix };
}
