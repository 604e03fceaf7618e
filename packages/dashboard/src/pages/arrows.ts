import { NODE_HEIGHT, NODE_WIDTH, type Place, type PlacedLink } from './layout.ts';

/** A drawn connection: its path in SVG, and its label where it needs one. */
export interface Arrow {
  readonly path: string;
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

const SHORT = 28;
const MIN_CURVE = 32;
const LABEL_WIDTH = 60;
/** How far a connection to an earlier step goes below the nodes. */
const DETOUR = NODE_HEIGHT + 24;

/** Returns the drawing of a connection: between the sides of steps, or from a sub-node up to the node that it serves. */
export function arrowOf({ from, to, type, output }: PlacedLink, places: readonly Place[]): Arrow {
  const [source, target] = [places[from], places[to]];
  if (!source || !target) return { path: '' };
  if (type !== 'main') {
    const [x1, y1] = [source.x + NODE_WIDTH / 2, source.y];
    const [x2, y2] = [target.x + NODE_WIDTH / 2, target.y + NODE_HEIGHT];
    const path = `M${x1} ${y1}C${x1} ${y1 - SHORT} ${x2} ${y2 + SHORT} ${x2} ${y2}`;
    return { path, label: { text: type, x: x1 + 6, y: y1 - 8 } };
  }
  const [x1, y1] = [source.x + NODE_WIDTH, source.y + NODE_HEIGHT / 2];
  const [x2, y2] = [target.x, target.y + NODE_HEIGHT / 2];
  const bend = x2 > x1 ? Math.max(MIN_CURVE, (x2 - x1) / 2) : NODE_WIDTH / 2;
  const down = x2 > x1 ? 0 : DETOUR;
  const path = `M${x1} ${y1}C${x1 + bend} ${y1 + down} ${x2 - bend} ${y2 + down} ${x2} ${y2}`;
  return { path, label: output === 0 ? undefined : { text: `output ${output}`, x: x2 - LABEL_WIDTH, y: y2 - 6 } };
}

/** Returns the nearest node in the direction of an arrow key. */
export function neighbour(places: readonly Place[], at: number, key: string): number | undefined {
  const here = places[at];
  if (!here) return undefined;
  const sign = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
  const isSideways = key === 'ArrowRight' || key === 'ArrowLeft';
  let best: { readonly index: number; readonly distance: number } | undefined;
  for (const [index, { x, y }] of places.entries()) {
    const [dx, dy] = [x - here.x, y - here.y];
    const [along, across] = isSideways ? [dx * sign, Math.abs(dy)] : [dy * sign, Math.abs(dx)];
    // A node in the direction is nearer than one that is aside of it.
    const distance = along + 2 * across;
    if (along > 0 && (best === undefined || distance < best.distance)) best = { index, distance };
  }
  return best?.index;
}
