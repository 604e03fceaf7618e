import type { Tool } from '@toolwright/connectors';
import type { LeafFlow, ProgramFlow } from '@toolwright/sandbox/internal';
import { withoutPlaces } from './leaves.ts';

/** The flow into the arguments of one tool, over all places of the program that may call it. */
export interface ToolFlow {
  /** Whether each place that may call the tool names it, so that no data chose it. */
  readonly isNamed: boolean;
  /** Returns the flow into an argument. */
  leaf(path: string): LeafFlow;
}

/** Returns the id of the tool that a name of a program is; undefined if it is not known yet. */
export type ToolNaming = (server: string, name: string) => string | undefined;

const ANYTHING: LeafFlow = { from: ['?'], isComputed: true };
/** Paths of one tool that are remembered: a program may invent names. */
const MAX_PATHS = 1_000;
const UNNAMED: ToolFlow = { isNamed: false, leaf: () => ANYTHING };

/**
 * Compiles the flow of a program. A call does not show its place, so that the flow into an argument is that of all places that may be the
 * call. A name that no tool is known for may be any tool of its server.
 */
export function compileFlow(flow: ProgramFlow, idOf: ToolNaming): (tool: Tool) => ToolFlow {
  if (flow === undefined || flow.some(({ tool }) => tool === undefined)) return () => UNNAMED;
  const sites = flow.map(({ tool, leaves }) => ({ name: String(tool), leaves: new Map(leaves) }));
  const sources = flow.flatMap(({ leaves }) => leaves.flatMap(([, { from }]) => from));
  const names = [...new Set([...sites.map(({ name }) => name), ...sources])].map((name) => splitName(name));
  let ids: readonly (string | undefined)[] = [];
  let compiled = new Map<Tool, ToolFlow>();
  return (tool) => {
    const now = names.map(([server, own]) => idOf(server, own));
    // A server may list its tools while the program runs.
    if (compiled.size === 0 || now.some((id, index) => id !== ids[index])) {
      ids = now;
      compiled = new Map();
    }
    const found = compiled.get(tool) ?? flowOfTool(sites, tool, idOf);
    compiled.set(tool, found);
    return found;
  };
}

interface CompiledSite {
  readonly name: string;
  readonly leaves: ReadonlyMap<string, LeafFlow>;
}

function flowOfTool(sites: readonly CompiledSite[], tool: Tool, idOf: ToolNaming): ToolFlow {
  const matches = sites.map(({ name, leaves }) => ({ leaves, match: matchOf(name, tool, idOf) }));
  if (!matches.some(({ match }) => match === 'is')) return UNNAMED;
  const own = matches.filter(({ match }) => match !== 'other').map(({ leaves }) => leaves);
  const known = new Map<string, LeafFlow>();
  return {
    isNamed: true,
    leaf(path) {
      const plain = withoutPlaces(path);
      let found = known.get(plain);
      if (found === undefined) {
        const { from, isComputed } = joined(own.map((leaves) => nearest(leaves, plain)));
        found = { isComputed, from: from.map((source) => idOf(...splitName(source)) ?? source) };
        if (known.size < MAX_PATHS) known.set(plain, found);
      }
      return found;
    },
  };
}

function matchOf(name: string, tool: Tool, idOf: ToolNaming): 'is' | 'may be' | 'other' {
  if (name === tool.id) return 'is';
  const [server, own] = splitName(name);
  const id = idOf(server, own);
  if (id !== undefined) return id === tool.id ? 'is' : 'other';
  return own === '' || letters(server) === letters(tool.server) ? 'may be' : 'other';
}

function splitName(name: string): [server: string, name: string] {
  const at = name.indexOf('__');
  return at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at + 2)];
}

function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the flow of a path, or of the nearest one around it. A member with a computed name may be any. */
function nearest(leaves: ReadonlyMap<string, LeafFlow>, path: string): LeafFlow {
  const found: LeafFlow[] = [];
  for (let at = path; ; at = at.replace(/(?:\.?[^.[\]]+|\[\])$/, '')) {
    const own = leaves.get(at);
    const any = leaves.get(at === '' ? '*' : `${at}.*`);
    if (any) found.push(any);
    if (own) return joined([own, ...found]);
    if (at === '') return found.length > 0 ? joined(found) : ANYTHING;
  }
}

function joined(flows: readonly LeafFlow[]): LeafFlow {
  return {
    from: [...new Set(flows.flatMap(({ from }) => from))],
    isComputed: flows.some(({ isComputed }) => isComputed),
  };
}
