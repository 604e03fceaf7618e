import type { ReactNode } from 'react';
import { Text } from '../text/text.tsx';
import { type Graph, type GraphConnection, type GraphNode, type GraphProblem, numberOf, portText } from './graph.ts';

interface NameProps {
  readonly name: string;
  readonly limit?: number;
  /** Whether a long name ends with dots, without a button. */
  readonly isCut?: boolean;
}

/** Shows the name of a node. */
export function NodeName({ name, limit = 120, isCut = false }: NameProps): ReactNode {
  return name === '' ? <i>no name</i> : <Text value={name} limit={limit} isCut={isCut} />;
}

/** Shows problems with their fixes. */
export function Problems({ problems }: { readonly problems: readonly GraphProblem[] }): ReactNode {
  return (
    <ul className="flex flex-col gap-1">
      {problems.map(({ level, code, path, message, fix }, index) => (
        <li key={index} className={`rounded px-2 py-1 ${level === 'error' ? 'bg-bad-back' : 'bg-wait-back'}`}>
          <p className={`font-medium ${level === 'error' ? 'text-bad' : 'text-wait'}`}>
            {level === 'error' ? '× error' : '! warning'} <Text value={code} limit={60} />
          </p>
          <p>
            <Text value={message} limit={600} />
          </p>
          <p>
            <Text value={fix} limit={600} />
          </p>
          {path !== undefined && (
            <p className="code text-muted">
              <Text value={path} limit={200} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

interface NodeTableProps {
  readonly nodes: readonly GraphNode[];
  readonly problemsOf: (node: GraphNode) => readonly GraphProblem[];
}

/** The nodes as text. */
export function NodeTable({ nodes, problemsOf }: NodeTableProps): ReactNode {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Nodes">
      <table className="w-full text-left">
        <thead className="text-muted">
          <tr>
            {['Node', 'Type', 'State', 'Problems'].map((name) => (
              <th key={name} scope="col" className="border-b border-line px-2 py-1 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nodes.map((node, index) => (
            <tr key={index} className="border-b border-line align-top">
              <th scope="row" className="min-w-32 px-2 py-1 font-medium">
                <NodeName name={node.name} />
              </th>
              <td className="code px-2 py-1">
                <Text value={node.type} limit={120} />
                {node.typeVersion !== undefined && ` ${node.typeVersion}`}
              </td>
              <td className="px-2 py-1">{node.disabled ? 'disabled' : 'enabled'}</td>
              <td className="px-2 py-1">{numberOf(problemsOf(node).length, 'problem') || 'none'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The connections as text. */
export function ConnectionList({ graph: { nodes, connections } }: { readonly graph: Graph }): ReactNode {
  const names = new Set(nodes.map(({ name }) => name));
  if (connections.length === 0) return <p className="text-muted">No connections.</p>;
  return (
    <ul aria-label="Connections">
      {connections.map((connection, index) => (
        <li key={index} className="border-b border-line px-2 py-1">
          <ConnectionText connection={connection} names={names} />
        </li>
      ))}
    </ul>
  );
}

function ConnectionText({
  connection: { from, to, type, output, input },
  names,
}: {
  readonly connection: GraphConnection;
  readonly names: ReadonlySet<string>;
}): ReactNode {
  return (
    <>
      <End name={from} isKnown={names.has(from)} />
      {type !== 'main' && (
        <span className="code text-muted">
          {' '}
          (<Text value={type} limit={60} />)
        </span>
      )}
      {portText('output', output)} → <End name={to} isKnown={names.has(to)} />
      {portText('input', input)}
    </>
  );
}

function End({ name, isKnown }: { readonly name: string; readonly isKnown: boolean }): ReactNode {
  return (
    <>
      <NodeName name={name} />
      {!isKnown && <span className="text-bad"> (no such node)</span>}
    </>
  );
}
