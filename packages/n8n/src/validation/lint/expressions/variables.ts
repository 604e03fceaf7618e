import { suggest } from '@toolwright/core/suggest';
import type { Finding } from '../../finding.ts';
import { chunksOf } from './expression-chunks.ts';

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
export function unknownVariable(node: string, path: string, name: string): Finding {
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
