/** Returns groups of nodes that reach each other, by Tarjan's algorithm; none for a graph without cycles. */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];

  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    stack.push(node);
    let low = index;
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    lowest.set(node, low);
    if (low === index) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1 || edges.get(node)?.includes(node)) found.push(group.sort());
    }
    return low;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}
