import { suggest } from '@toolwright/core/internal';
import type { Finding } from '../finding.ts';
import { chunksOf } from './expression-chunks.ts';

/** What n8n defines in expressions. */
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

/** Variables in the code of an expression that n8n does not define and the code itself does not either. */
export function unknownVariables(text: string): string[] {
  const code = chunksOf(text).flatMap((chunk) => (chunk.code ? chunk.text.replace(STRINGS, "''") : []));
  const found = code.flatMap((source) =>
    [...source.matchAll(/(?<![\w$.])\$[A-Za-z_]\w*/g)]
      .map(([name]) => name)
      // A parameter of a function in it, or a name that it declares.
      .filter((name) => !new RegExp(`\\${name}\\s*(?:=(?!=)|[,)\\]}][^]*?=>)`).test(source)),
  );
  return [...new Set(found)].filter((name) => !VARIABLES.has(name));
}

/** The finding for one of them. */
export function unknownVariable(node: string, path: string, name: string): Finding {
  const near = suggest(name, VARIABLES, 1);
  const message = `${path} uses ${name}, which n8n does not define; the node fails when it runs.`;
  const fix = near.length > 0 ? `Write ${near.join(' or ')}.` : 'Use $json, $input, $("Node") or $now.';
  return { code: 'EXPRESSION_UNKNOWN_VARIABLE', node, path, message, fix };
}
