import type { LeafFlow, ProgramFlow } from '@toolwright/sandbox/internal';
import type { Tool } from '../../../connectors/tool.ts';
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
const UNNAMED: ToolFlow = { isNamed: false, leaf: () => ANYTHING };

/**
 * Compiles the flow of a program. A call does not show its place, so that the flow into an argument is that of all places that may be the
 * call. A name that no tool is known for may be any tool of its server.
 */
export function compileFlow(flow: ProgramFlow, idOf: ToolNaming): (tool: Tool) => ToolFlow {
  if (flow === undefined || flow.some(({ tool }) => tool === undefined)) return () => UNNAMED;
  return (tool) => {
    const matches = flow.map((site) => ({ site, match: matchOf(String(site.tool), tool, idOf) }));
    if (!matches.some(({ match }) => match === 'is')) return UNNAMED;
    const sites = matches.filter(({ match }) => match !== 'other').map(({ site }) => new Map(site.leaves));
    const known = new Map<string, LeafFlow>();
    return {
      isNamed: true,
      leaf(path) {
        const plain = withoutPlaces(path);
        const found = known.get(plain) ?? joined(sites.map((leaves) => nearest(leaves, plain)));
        known.set(plain, found);
        return {
          isComputed: found.isComputed,
          from: found.from.map((from) => idOf(...splitName(from)) ?? from),
        };
      },
    };
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
