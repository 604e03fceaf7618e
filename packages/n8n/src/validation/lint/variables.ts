import { suggest } from '@toolwright/core/suggest';
import type { Finding } from '../finding.ts';
import { chunksOf } from './expression-chunks.ts';

/** Variables that n8n defines in expressions. */
const VARIABLES = new Set(
  (
    '$json $binary $node $items $input $item $data $self $parameter $rawParameter $prevNode $runIndex $itemIndex $thisItem ' +
    '$thisItemIndex $thisRunIndex $position $mode $now $today $env $vars $secrets $workflow $execution $nodeId ' +
    '$nodeVersion $webhookId $agentInfo $tool $jmespath $jmesPath $fromAI $fromAi $fromai $if $ifEmpty $min $max ' +
    '$average $not $evaluateExpression $getPairedItem $response $request $pageCount $version $value $credentials ' +
    '$responseItem $resumeWebhookUrl $waitTill $parent $index'
  ).split(' '),
);
const STRINGS = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`$\\]*`|\/\*[\s\S]*?\*\//g;

/** Returns the variables of an expression that neither n8n nor the code defines. */
export function unknownVariables(text: string): string[] {
  const code = chunksOf(text).flatMap((chunk) => (chunk.code ? chunk.text.replace(STRINGS, "''") : []));
  const found = code.flatMap((source) =>
    [...source.matchAll(/(?<![\w$.])\$[A-Za-z_]\w*/g)]
      .map(([name]) => name)
      // Names that the code declares, such as function parameters, are defined.
      .filter((name) => !new RegExp(`\\${name}\\s*(?:=(?!=)|[,)\\]}][^]*?=>)`).test(source)),
  );
  return [...new Set(found)].filter((name) => !VARIABLES.has(name));
}

/** Returns the finding for one unknown variable. */
export function unknownVariable(node: string, path: string, name: string): Finding {
  const near = suggest(name, VARIABLES, 1);
  const message = `${path} uses ${name}, which n8n does not define; the node fails at execution.`;
  const fix = near.length > 0 ? `Write ${near.join(' or ')}.` : 'Use $json, $input, $("Node") or $now.';
  return { code: 'EXPRESSION_UNKNOWN_VARIABLE', node, path, message, fix };
}
