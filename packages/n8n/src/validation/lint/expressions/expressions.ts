import { suggest } from '@toolwright/core/suggest';
import { STICKY_NOTE } from '../../../catalogs/names.ts';
import { type Finding, MAX_FINDINGS } from '../../finding.ts';
import type { Syntax } from '../../syntax.ts';
import type { Workflow } from '../../workflow.ts';
import { visitTexts } from '../texts.ts';
import { chunksOf } from './expression-chunks.ts';

const NODE_REFERENCE =
  /\$\(\s*(["'`])((?:\\.|(?!\1)[^\\\n\r])*)\1\s*\)|\$(?:node|items)\s*[[(]\s*(["'])((?:\\.|(?!\3)[^\\\n\r])*)\3/g;
const LOOKS_LIKE_EXPRESSION =
  /\{\{[^{}]*\$(json|node\b|\(|input|items|binary|now|today|vars|env|workflow|execution|fromAI)/i;
/** Code between a single brace and two. */
const HALF_OPENED = /(?<![{$])\{[^{}]*\}\}/g;
const VARIABLE = /\$(json|node\b|\(|input|items|binary|now|today|vars|env|workflow|execution|fromAI)/i;
/** Parameters whose text may hold other braces: programs, markup, templates, workflows. */
const OTHER_BRACES = new Set(
  'html css jsCode pythonCode functionCode code content notice query sqlQuery inputSchema jsonSchemaExample workflowJson'.split(
    ' ',
  ),
);

/** Variables that n8n defines in expressions. */
const VARIABLES = new Set(
  (
    '$json $binary $node $items $input $item $data $self $parameter $rawParameter $prevNode $runIndex $itemIndex $thisItem ' +
    '$thisItemIndex $thisRunIndex $position $mode $now $today $env $vars $secrets $workflow $execution $nodeId ' +
    '$nodeVersion $webhookId $agentInfo $tool $jmespath $jmesPath $fromAI $fromAi $fromai $if $ifEmpty $min $max ' +
    '$average $not $evaluateExpression $getPairedItem $response $request $pageCount $version $value $credentials ' +
    '$responseItem $executionId $resumeWebhookUrl $waitTill $parent $index'
  ).split(' '),
);
/** Strings and comments, by their start. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  '"': /"(?:\\[\s\S]|[^"\\])*"/y,
  "'": /'(?:\\[\s\S]|[^'\\])*'/y,
  '`': /`[^`$\\]*`/y,
  '/*': /\/\*[\s\S]*?\*\//y,
};

/** Reports expressions with syntax errors or unknown node names. Nothing is evaluated. */
export function expressionFindings(workflow: Workflow, syntax: Syntax): Finding[] {
  const names = new Set(workflow.nodes.map(({ name }) => name));
  const findings: Finding[] = [];
  for (const node of workflow.nodes) {
    if (node.disabled || node.type === STICKY_NOTE) continue;
    visitTexts(node.parameters, 'parameters', (text, path, key) => {
      const isExpression = text.startsWith('=');
      const problem = isExpression ? expressionProblem(text.slice(1), syntax) : undefined;
      if (problem !== undefined) findings.push(broken(node.name, path, problem));
      if (!isExpression && !OTHER_BRACES.has(key) && LOOKS_LIKE_EXPRESSION.test(text))
        findings.push(literal(node.name, path));
      if (!isExpression && key !== 'jsCode') return;
      if (findings.length > MAX_FINDINGS) return;
      for (const name of referencedNodes(isExpression ? text : withoutBraces(text))) {
        if (!names.has(name)) findings.push(unknown(node.name, path, name, names));
        if (findings.length > MAX_FINDINGS) return;
      }
      for (const name of isExpression ? unknownVariables(text.slice(1)) : [])
        findings.push(unknownVariable(node.name, path, name));
    });
  }
  return findings;
}

/** Returns the syntax error of an expression (without its `=`); undefined when n8n can parse it. */
export function expressionProblem(text: string, syntax: Syntax): string | undefined {
  for (const { code, text: source, closed } of chunksOf(text)) {
    if (!code) {
      const half = source.match(HALF_OPENED)?.find((each) => VARIABLE.test(each));
      if (half !== undefined) return `"${half}" has one brace where "{{" belongs`;
      continue;
    }
    if (!closed) return '"{{" is never closed by "}}"';
    const problem = source.trim() === '' ? 'nothing' : syntax.problemOf(source);
    if (problem !== undefined) return `${problem} in {{${source.length > 60 ? `${source.slice(0, 60)}…` : source}}}`;
  }
  return undefined;
}

/** Returns the names of nodes that an expression or a Code node's program refers to. */
export function* referencedNodes(text: string): Generator<string> {
  for (const [, quote, direct, , indirect] of text.matchAll(NODE_REFERENCE)) {
    const name = quote === '`' && direct?.includes('${') ? undefined : (direct ?? indirect);
    if (name !== undefined) yield name.replace(/\\(.)/g, '$1');
  }
}

/** Returns a program without the expressions in its texts: those belong to other workflows. */
function withoutBraces(program: string): string {
  if (!program.includes('{{')) return program;
  const outside = chunksOf(program).filter(({ code, closed }) => !(code && closed));
  return outside.map(({ text }) => text).join(' ');
}

function broken(node: string, path: string, problem: string): Finding {
  const message = `The expression does not parse: ${problem}. The node fails at execution.`;
  return { code: 'EXPRESSION_SYNTAX', node, path, message, fix: `Correct ${path}; an expression is "={{ … }}".` };
}

function literal(node: string, path: string): Finding {
  const message = `${path} has "{{ … }}" but does not start with "=", so n8n treats it as plain text.`;
  return { code: 'EXPRESSION_WITHOUT_EQUALS', node, path, message, fix: 'Put "=" in front of it.' };
}

function unknown(node: string, path: string, name: string, names: ReadonlySet<string>): Finding {
  const message = `${path} refers to the node "${name}", which does not exist.`;
  return {
    code: 'EXPRESSION_UNKNOWN_NODE',
    node,
    path,
    message,
    get fix() {
      const near = suggest(name, names, 2);
      if (near.length === 0) return 'Refer to a node of this workflow.';
      return `Refer to ${near.map((other) => `"${other}"`).join(' or ')}.`;
    },
  };
}

/** Returns the variables of an expression that neither n8n nor the code defines. */
export function unknownVariables(text: string): string[] {
  const sources = chunksOf(text).flatMap((chunk) => (chunk.code ? [withoutTexts(chunk.text)] : []));
  const found = sources.flatMap((source) => {
    const declared = declaredIn(source);
    return [...source.matchAll(/(?<![\w$.])\$[A-Za-z_]\w*/g)]
      .map(([name]) => name)
      .filter((name) => !declared.has(name));
  });
  return [...new Set(found)].filter((name) => !VARIABLES.has(name));
}

/** Returns code with empty strings in place of strings and comments, in linear time. */
function withoutTexts(code: string): string {
  const endless = new Set<string>();
  let kept = '';
  let from = 0;
  for (const { 0: start, index } of code.matchAll(/["'`]|\/\*/g)) {
    const pattern = TEXTS[start];
    if (index < from || endless.has(start) || pattern === undefined) continue;
    pattern.lastIndex = index;
    const found = pattern.exec(code);
    if (found) {
      kept += `${code.slice(from, index)}''`;
      from = index + found[0].length;
    } else if (start !== '`') endless.add(start);
  }
  return kept + code.slice(from);
}

/** Returns the names that code assigns, and those that may be parameters: in a list before an arrow. */
function declaredIn(code: string): ReadonlySet<string> {
  const arrow = code.lastIndexOf('=>');
  const declared = [...code.matchAll(/(\$[A-Za-z_]\w*)\s*(?:=(?!=)|[,)\]}])/g)].filter(
    ({ 0: found, index }) => found.endsWith('=') || index + found.length <= arrow,
  );
  return new Set(declared.map(([, name]) => String(name)));
}

/** Returns the finding for one unknown variable. */
function unknownVariable(node: string, path: string, name: string): Finding {
  const message = `${path} uses ${name}, which n8n does not define; the node fails at execution.`;
  return {
    code: 'EXPRESSION_UNKNOWN_VARIABLE',
    node,
    path,
    message,
    get fix() {
      const near = suggest(name, VARIABLES, 1);
      return near.length > 0 ? `Write ${near.join(' or ')}.` : 'Use $json, $input, $("Node") or $now.';
    },
  };
}
