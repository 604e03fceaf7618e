import type { Finding } from '../../finding.ts';
import type { Edge } from '../../graph.ts';
import type { CheckedNode } from '../../publish.ts';
import type { LintRule } from '../report.ts';

interface Ports {
  /** The minimum and maximum number of connections, by connection type. */
  readonly [type: string]: readonly [least: number, most: number];
}

const MODEL: Ports = { ai_languageModel: [1, 1] };
const ANY = Number.POSITIVE_INFINITY;
const AGENT: Ports = { ai_languageModel: [1, 1], ai_memory: [0, 1], ai_outputParser: [0, 1] };

/** Inputs of the AI nodes whose description computes them, by the name after `@n8n/n8n-nodes-langchain.`. */
const NEEDS: Readonly<Record<string, Ports>> = {
  agent: AGENT,
  agentTool: AGENT,
  chainLlm: { ai_languageModel: [1, 1], ai_outputParser: [0, 1] },
  chainSummarization: MODEL,
  chainRetrievalQa: { ai_languageModel: [1, 1], ai_retriever: [1, 1] },
  informationExtractor: MODEL,
  textClassifier: MODEL,
  sentimentAnalysis: MODEL,
  outputParserAutofixing: { ai_languageModel: [1, 1], ai_outputParser: [1, 1] },
  retrieverVectorStore: { ai_vectorStore: [1, 1] },
  toolVectorStore: { ai_languageModel: [1, 1], ai_vectorStore: [1, 1] },
  vectorStoreInMemory: { ai_embedding: [1, 1] },
  vectorStorePinecone: { ai_embedding: [1, 1] },
  vectorStoreQdrant: { ai_embedding: [1, 1] },
  vectorStorePGVector: { ai_embedding: [1, 1] },
  vectorStoreSupabase: { ai_embedding: [1, 1] },
};

/** Reports AI nodes with a missing input, such as a language model, or with too many connections. */
export const aiRule: LintRule = ({ checked, graph, byName }) => {
  const serving = new Map<string, Edge[]>();
  for (const edge of graph.edges) {
    if (edge.type === 'main' || byName.get(edge.source)?.node.disabled !== false) continue;
    const known = serving.get(edge.target);
    if (known) known.push(edge);
    else serving.set(edge.target, [edge]);
  }
  return checked.flatMap((each) => {
    const { node } = each;
    if (node.disabled) return [];
    const given = new Map<string, number>();
    for (const { type, input } of serving.get(node.name) ?? []) {
      // Without a fallback n8n has no second input for a model, and ignores a connection to it.
      if (type === 'ai_languageModel' && input > 0 && each.parameters.needsFallback !== true) continue;
      given.set(type, (given.get(type) ?? 0) + 1);
    }
    return Object.entries(portsOf(each)).flatMap(([type, [least, most]]): Finding[] => {
      const count = given.get(type) ?? 0;
      const path = `connections (${type} into ${node.name})`;
      if (count < least) {
        const message = `The input ${type} of "${node.name}" has no connection; the execution fails.`;
        const fix = `Connect ${SUPPLIERS[type] ?? 'a node with this output'}: {"<Name>": {"${type}": [[{"node": "${node.name}", "type": "${type}", "index": 0}]]}}.`;
        return [{ code: 'AI_INPUT_MISSING', node: node.name, path, message, fix }];
      }
      if (count <= most) return [];
      const message = `The input ${type} of "${node.name}" has ${count} connections; the limit is ${most}.`;
      return [{ code: 'AI_INPUT_EXTRA', node: node.name, path, message, fix: extraFix(type, most, each) }];
    });
  });
};

function extraFix(type: string, most: number, { node, description }: CheckedNode): string {
  const canFallBack = description.properties.some(({ name }) => name === 'needsFallback');
  const fallback = `, or set parameters.needsFallback of "${node.name}" to true for a second model`;
  return `Remove connections until ${most} is left${type === 'ai_languageModel' && canFallBack ? fallback : ''}.`;
}

const SUPPLIERS: Readonly<Record<string, string>> = {
  ai_languageModel: 'a model such as lmChatOpenAi',
  ai_memory: 'a memory such as memoryBufferWindow',
  ai_outputParser: 'a parser such as outputParserStructured',
  ai_embedding: 'embeddings such as embeddingsOpenAi',
  ai_retriever: 'retrieverVectorStore',
  ai_vectorStore: 'a vector store such as vectorStoreInMemory',
};

function portsOf({ description, parameters }: CheckedNode): Ports {
  const short = description.name.replace('@n8n/n8n-nodes-langchain.', '');
  const known = NEEDS[short];
  if (known) {
    // The second model takes over when the first one fails.
    const models: Ports = parameters.needsFallback === true ? { ai_languageModel: [1, 2] } : {};
    return { ...known, ...models };
  }
  if (typeof description.inputs === 'string') return {};
  return Object.fromEntries(
    description.inputs.flatMap((port) => {
      if (typeof port === 'string' || port.type === 'main') return [];
      return [[port.type, [port.required ? 1 : 0, port.maxConnections ?? ANY]]];
    }),
  );
}
