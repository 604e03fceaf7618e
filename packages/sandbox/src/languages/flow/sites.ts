import type { Node } from '../typescript/parse.ts';
import type { CallSite } from './flow.ts';
import type { Cell, FlowGraph } from './graph.ts';
import { memberName, nodesOf, plainNode } from './scope.ts';

const SERVER_MODULE = /^(?:\.{0,2}\/)+servers\/([^/]+?)(?:\/index)?(?:\.[jt]s)?$/;
const MAX_SITES = 500;
const MAX_LEAVES = 200;

/** Returns the server of a module's path. */
export function serverOf(path: string): string | undefined {
  return SERVER_MODULE.exec(path)?.[1];
}

/** The places that call tools, with the cells of their arguments. */
export class FlowSites {
  readonly #graph: FlowGraph;
  readonly #sites: { readonly tool: string | undefined; readonly leaves: Map<string, Cell> }[] = [];
  #isFull = false;

  constructor(graph: FlowGraph) {
    this.#graph = graph;
  }

  /** Adds a call. `leaf` returns the cell of a value, and `members` those of an object with known members. */
  add(
    tool: string | undefined,
    args: readonly Node[],
    leaf: (node: Node) => Cell,
    members: (node: Node) => readonly (readonly [string, Cell])[],
  ): void {
    const leaves = new Map<string, Cell>();
    const put = (path: string, cell: Cell) => {
      const known = leaves.get(path);
      if (known === undefined) leaves.set(path, cell);
      else {
        const both = this.#graph.cell();
        this.#graph.edge(known, both);
        this.#graph.edge(cell, both);
        leaves.set(path, both);
      }
      if (leaves.size > MAX_LEAVES) this.#isFull = true;
    };
    const walk = (node: Node, path: string): void => {
      const plain = plainNode(node);
      if (plain.type === 'ObjectExpression') {
        for (const each of nodesOf(plain.properties)) {
          const name = each.type === 'SpreadElement' ? undefined : memberName(each);
          if (name === undefined) {
            // Its members may have any name here.
            for (const part of nodesOf([each.argument, each.key, each.value]))
              put(path === '' ? '*' : `${path}.*`, leaf(part));
          } else walk(each.value as Node, path === '' ? name : `${path}.${name}`);
        }
      } else if (
        plain.type === 'ArrayExpression' &&
        nodesOf(plain.elements).every(({ type }) => type !== 'SpreadElement')
      ) {
        for (const each of nodesOf(plain.elements)) walk(each, `${path}[]`);
      } else {
        for (const [name, cell] of members(plain)) {
          if (name !== '[]') put(path === '' ? name : `${path}.${name}`, cell);
        }
        put(path, leaf(plain));
      }
    };
    const [only] = args;
    if (args.length === 1 && only && only.type !== 'SpreadElement') walk(only, '');
    else for (const each of args) put('', leaf(each));
    if (this.#sites.push({ tool, leaves }) > MAX_SITES) this.#isFull = true;
  }

  /** Returns the flow of each place, after the graph is solved. */
  flows(): readonly CallSite[] | undefined {
    if (this.#isFull) return undefined;
    return this.#sites.map(({ tool, leaves }) => ({
      tool,
      leaves: [...leaves].map(([path, cell]) => [path, this.#graph.flowOf(cell)] as const),
    }));
  }
}
