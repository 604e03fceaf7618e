import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import { arrowOf, neighbour } from './arrows.ts';
import { type Graph, type GraphNode, type GraphProblem, numberOf, shortType } from './graph.ts';
import { layoutOf, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';
import { NodeName } from './texts.tsx';

const ZOOMS = [0.25, 0.4, 0.6, 0.8, 1, 1.25] as const;
const FULL_SIZE = 4;

interface DrawingProps {
  readonly graph: Graph;
  readonly problemsOf: (node: GraphNode) => readonly GraphProblem[];
  /** Place of the chosen node in the list of nodes. */
  readonly chosen: number | undefined;
  readonly choose: (index: number) => void;
}

/** Draws the nodes and connections of a graph. Arrow keys go from node to node. */
export function Drawing({ graph, problemsOf, chosen, choose }: DrawingProps): ReactNode {
  const { places, links, width, height } = useMemo(() => layoutOf(graph.nodes, graph.connections), [graph]);
  const [level, setLevel] = useState(FULL_SIZE);
  const [current, setCurrent] = useState(chosen ?? 0);
  const list = useRef<HTMLUListElement>(null);
  const zoom = ZOOMS[level] ?? 1;
  useEffect(() => {
    const node = list.current?.querySelector('[aria-pressed="true"]');
    node?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(places, current, event.key);
    if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    if (next !== undefined) list.current?.querySelector<HTMLElement>(`[data-node="${next}"]`)?.focus();
  };
  return (
    <div className="flex min-h-0 flex-col">
      <div className="flex items-center gap-2 p-2">
        <button type="button" className="button" disabled={level === 0} onClick={() => setLevel(level - 1)}>
          Smaller
        </button>
        <button
          type="button"
          className="button"
          disabled={level === ZOOMS.length - 1}
          onClick={() => setLevel(level + 1)}
        >
          Larger
        </button>
        <span role="status" className="text-muted">
          {Math.round(zoom * 100)} %
        </span>
      </div>
      <div
        role="group"
        aria-label="Drawing"
        tabIndex={0}
        className="max-h-[60vh] min-h-40 overflow-auto border-y border-line bg-page"
      >
        <div className="relative" style={{ width: width * zoom, height: height * zoom }}>
          <div className="absolute top-0 left-0 origin-top-left" style={{ width, height, transform: `scale(${zoom})` }}>
            <Arrows
              width={width}
              height={height}
              arrows={links.map((link) => ({ ...link, ...arrowOf(link, places) }))}
            />
            <ul ref={list} aria-label="Nodes of the drawing" onKeyDown={onKeyDown}>
              {graph.nodes.map((node, index) => (
                <li
                  key={index}
                  className="absolute"
                  style={{ left: places[index]?.x, top: places[index]?.y, width: NODE_WIDTH, height: NODE_HEIGHT }}
                >
                  <NodeButton
                    node={node}
                    index={index}
                    problems={problemsOf(node)}
                    isChosen={index === chosen}
                    isCurrent={index === current}
                    focused={() => setCurrent(index)}
                    choose={() => choose(index)}
                  />
                </li>
              ))}
            </ul>
          </div>
        </div>
      </div>
    </div>
  );
}

interface ArrowsProps {
  readonly width: number;
  readonly height: number;
  readonly arrows: readonly (ReturnType<typeof arrowOf> & { readonly type: string })[];
}

/** The lines are decoration: the list of connections has them as text. */
function Arrows({ width, height, arrows }: ArrowsProps): ReactNode {
  return (
    <svg
      width={width}
      height={height}
      aria-hidden="true"
      className="absolute top-0 left-0 overflow-visible"
      fill="none"
    >
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0L8 4L0 8z" className="fill-bar" />
        </marker>
      </defs>
      {arrows.map(({ path, label, type }, index) => (
        <g key={index}>
          <path
            d={path}
            className="stroke-bar"
            strokeWidth="1.5"
            strokeDasharray={type === 'main' ? undefined : '5 4'}
            markerEnd="url(#arrow)"
          />
          {label && (
            <text x={label.x} y={label.y} className="fill-muted text-xs">
              {visibleText(label.text, 40)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

interface NodeButtonProps {
  readonly node: GraphNode;
  readonly index: number;
  readonly problems: readonly GraphProblem[];
  readonly isChosen: boolean;
  readonly isCurrent: boolean;
  readonly focused: () => void;
  readonly choose: () => void;
}

function NodeButton({ node, index, problems, isChosen, isCurrent, focused, choose }: NodeButtonProps): ReactNode {
  const errors = problems.filter(({ level }) => level === 'error').length;
  const border = errors > 0 ? 'border-bad' : problems.length > 0 ? 'border-wait' : 'border-bar';
  return (
    <button
      type="button"
      data-node={index}
      tabIndex={isCurrent ? 0 : -1}
      aria-pressed={isChosen}
      onFocus={focused}
      onClick={choose}
      className={`flex h-full w-full cursor-pointer flex-col justify-center rounded-md border px-2 text-left text-xs ${border} ${node.disabled ? 'border-dashed' : ''} ${isChosen ? 'bg-chosen' : 'bg-panel'}`}
    >
      <span className="w-full truncate text-sm font-semibold">
        <NodeName name={node.name} limit={80} isCut />
      </span>
      <span className="w-full truncate text-muted">
        <Text value={shortType(node.type)} isCut limit={80} />
        {node.disabled && ', disabled'}
      </span>
      {problems.length > 0 && <ProblemCount errors={errors} warnings={problems.length - errors} />}
    </button>
  );
}

function ProblemCount({ errors, warnings }: { readonly errors: number; readonly warnings: number }): ReactNode {
  return (
    <span className="flex gap-2 font-medium">
      {errors > 0 && <span className="text-bad">× {numberOf(errors, 'error')}</span>}
      {warnings > 0 && <span className="text-wait">! {numberOf(warnings, 'warning')}</span>}
    </span>
  );
}
