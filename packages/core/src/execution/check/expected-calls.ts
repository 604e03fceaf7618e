import type { Tool } from '@toolwright/connectors';
import type { LanguageName } from '@toolwright/sandbox';
import type { LeafFlow, ProgramFlow } from '@toolwright/sandbox/internal';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { compileFlow, type ToolFlow } from '../../config/policy/origins/flow.ts';
import type { ArgumentValue, ValueOrigin } from '../../config/policy/origins/followed.ts';
import { isTarget } from '../../config/policy/origins/guarded.ts';
import type { CallOrigins } from '../../config/policy/origins/origins.ts';
import type { ToolSinks } from '../../config/policy/origins/sinks.ts';
import { originWords } from '../../config/policy/origins/words.ts';
import type { Trust } from '../../config/policy/schema.ts';
import type { Explanation } from '../../tool-calls/policy/explain.ts';
import type { ExecutionContext } from '../execution.ts';

/** How the policy would decide the calls of a tool in a program, by the text of the program. */
export interface ExpectedCall {
  readonly tool: string;
  /** `ask`: unless the request or a list of the operator has the values. `depends`: the arguments decide. */
  readonly action: Explanation['action'];
  /** The rule that decides, or the one that decides if none before it matches the arguments. */
  readonly rule: string;
  /** The targets of the calls, and the data that can reach each: `from mail__list`. Only where the policy depends on origins. */
  readonly targets?: readonly { readonly argument: string; readonly from: string }[];
}

interface Options {
  readonly catalog: UserCatalog;
  readonly policy: ExecutionContext['policy'];
  readonly caller: { readonly userId: string; readonly sessionId: string | undefined };
  /** The language of the program, whose functions of tools have names of their own. */
  readonly language: LanguageName;
  /** Whether public data may have reached the author of the program. */
  readonly hasSeenPublicData: boolean;
}

/** Returns the decisions about the calls of a program, one for each tool. Undefined if its text does not show its calls. */
export async function expectedCalls(
  flow: ProgramFlow,
  { catalog, policy, caller, language, hasSeenPublicData }: Options,
): Promise<readonly ExpectedCall[] | undefined> {
  if (flow === undefined || flow.some(({ tool }) => tool === undefined)) return undefined;
  const idOf = (server: string, name: string) => catalog.functionOf(server, name, language)?.id;
  const flowOf = compileFlow(flow, idOf);
  const paths = new Map<Tool, Set<string>>();
  for (const { tool: name, leaves } of flow) {
    // The check reports an unknown tool.
    const tool = await toolOf(String(name), idOf, catalog);
    const known = tool && (paths.get(tool) ?? new Set());
    for (const [path] of leaves) known?.add(path);
    if (tool && known) paths.set(tool, known);
  }
  const labels = new Map([...paths.keys()].map((tool) => [tool.id, policy.origins?.trustOf(tool).label ?? 'public']));
  return [...paths].map(([tool, own]) => {
    const sinks = policy.origins?.sinksOf(tool);
    const origins = sinks && flowOrigins(tool, flowOf(tool), { sinks, labels, paths: own, isOwn: !hasSeenPublicData });
    const { action, rule } = policy.explain({ tool, ...caller, origins });
    const targets = origins?.values?.filter(isTarget).map((value) => ({
      argument: value.path,
      from: originWords(value, origins.partOf),
    }));
    return { tool: tool.id, action, rule, targets };
  });
}

async function toolOf(
  name: string,
  idOf: (server: string, name: string) => string | undefined,
  catalog: Options['catalog'],
): Promise<Tool | undefined> {
  const [server = '', ...rest] = name.split('__');
  return catalog.tool(name).catch(() => {
    const id = idOf(server, rest.join('__'));
    return id === undefined ? undefined : catalog.tool(id).catch(() => undefined);
  });
}

interface Known {
  readonly sinks: ToolSinks;
  /** The labels of the tools of the program. */
  readonly labels: ReadonlyMap<string, Trust>;
  /** The arguments that the program writes. */
  readonly paths: ReadonlySet<string>;
  readonly isOwn: boolean;
}

/** Returns the origins of arguments of which only the flow is known. */
function flowOrigins(tool: Tool, flow: ToolFlow, known: Known): CallOrigins {
  const { sinks, paths, isOwn } = known;
  const properties = Object.keys(Object(Object(tool.definition.inputSchema).properties));
  const isWhole = ['', '*'].some((path) => paths.has(path));
  const shown = new Set([...paths, ...(isWhole ? properties : [])]);
  const values = [...shown].map((path): ArgumentValue => {
    const leaf = flow.leaf(path);
    const names = path.split('.').map((name) => name.replaceAll('[]', ''));
    return {
      ...{ path, argument: names[0] ?? '', value: '', forms: [], kind: sinks(names) },
      isSelected: !leaf.isComputed && !leaf.from.includes('?'),
      origin: () => ({ ...originOf(leaf, tool, known), words: wordsOf(leaf, isOwn) }),
      isRequested: () => false,
      extractedType: () => undefined,
      carries: () => [],
    };
  });
  return { isOwnProgram: isOwn, isNamedTool: flow.isNamed, values, leaks: () => [], partOf: () => undefined };
}

function originOf({ from, isComputed }: LeafFlow, { server }: Tool, { isOwn, labels }: Known): ValueOrigin {
  const [source] = from;
  if (source === undefined) return { proof: isOwn ? 'program' : 'unknown' };
  const trusted = from.map((each) => labels.get(each) ?? 'public');
  if (isOwn && !trusted.includes('public'))
    return { proof: trusted.includes('organisation') ? 'organisation' : 'owner' };
  if (isComputed || !from.every((each) => each.startsWith(`${server}__`))) return { proof: 'unknown' };
  const field = { call: 0, tool: source, server, path: '', trust: 'public' as const };
  return { proof: 'public', field: { ...field, isPrivate: false, parent: undefined } };
}

function wordsOf({ from, isComputed }: LeafFlow, isOwn: boolean): string {
  if (from.length === 0) return isOwn ? 'written in the program' : 'written in the program, after it saw public data';
  const sources = from.map((source) => (source === '?' ? 'files, errors or unknown code' : source)).join(', ');
  return isComputed ? `computed from ${sources}` : `from ${sources}`;
}
