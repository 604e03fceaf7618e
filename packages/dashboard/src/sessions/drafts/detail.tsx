import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useSession } from '../../api/session.ts';
import { useTitle } from '../../app/title.ts';
import { Unloaded } from '../../parts/unloaded.tsx';
import { clock, count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { type DraftNode, type DraftProblem, draftQuery, stateText, type WorkflowDraft } from './draft.ts';
import { Drawing } from './drawing.tsx';
import { ConnectionList, NodeName, NodeTable, Problems } from './texts.tsx';

const route = getRouteApi('/ui/drafts/$id/$call');

/** One draft of an n8n workflow: its drawing, its problems, and the same as text. */
export function DraftDetail(): ReactNode {
  const { id, call } = route.useParams();
  const search = route.useSearch();
  const { user } = useSession();
  const userId = search.userId ?? user;
  useTitle('Draft');
  const { data, error, refetch } = useQuery(draftQuery(id, call, userId));
  if (!data) return <Unloaded title="Draft" label="Loading the draft" error={error} retry={() => void refetch()} />;
  return (
    <div className="h-full overflow-auto bg-panel">
      <Header draft={data} userId={userId} />
      <Body draft={data} />
    </div>
  );
}

function Header({ draft, userId }: { readonly draft: WorkflowDraft; readonly userId: string }): ReactNode {
  const { name, executionId, steps, at, nodeCount, connectionCount } = draft;
  return (
    <header className="border-b border-line p-2">
      <h1 className="min-h-8 content-center">
        {name === '' ? 'Draft without a name' : <Text value={name} limit={200} />}
      </h1>
      <p className="flex flex-wrap gap-x-4 text-muted">
        <span>
          {count(nodeCount)} nodes, {count(connectionCount)} connections
        </span>
        <span>{stateText(draft)}</span>
        <span>
          {steps.join(', ')}, {clock(at)}
        </span>
        <Link
          to="/ui/executions/$id"
          params={{ id: executionId }}
          search={{ userId, call: String(draft.call), tab: 'call' }}
        >
          Execution
        </Link>
      </p>
    </header>
  );
}

function Body({ draft }: { readonly draft: WorkflowDraft }): ReactNode {
  const { nodes, connections, problems, nodeCount, connectionCount } = draft;
  const { node: chosen, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/ui/drafts/$id/$call' });
  const byNode = useMemo(() => problemsByNode(nodes, problems ?? []), [nodes, problems]);
  const problemsOf = useCallback(({ name }: DraftNode) => byNode.get(name) ?? [], [byNode]);
  const index = nodes.findIndex((_node, place) => String(place) === chosen);
  const node = nodes[index];
  const ofWorkflow = byNode.get(undefined) ?? [];
  const isCut = nodes.length < nodeCount || connections.length < connectionCount;
  return (
    <>
      {isCut && (
        <p className="p-2 text-wait">
          Too large: the page has {count(nodes.length)} nodes and {count(connections.length)} connections of it.
        </p>
      )}
      {problems === undefined && (
        <p className="p-2 text-muted">
          This draft was not validated, so its problems are unknown. Programs validate with validateWorkflow.
        </p>
      )}
      <Drawing
        draft={draft}
        problemsOf={problemsOf}
        chosen={index === -1 ? undefined : index}
        choose={(next) => void navigate({ search: { ...search, node: String(next) }, replace: true })}
      />
      <div className="grid gap-4 p-3 lg:grid-cols-2">
        <section aria-label="Node" aria-live="polite" className="min-w-0">
          <h2>Node</h2>
          {node ? <Chosen node={node} problems={problemsOf(node)} /> : <p className="text-muted">Choose a node.</p>}
        </section>
        <section aria-label="Problems of the workflow" className="min-w-0">
          <h2>Problems of the workflow</h2>
          {ofWorkflow.length === 0 ? <p className="text-muted">None.</p> : <Problems problems={ofWorkflow} />}
        </section>
        <section aria-label="Nodes as text" className="min-w-0">
          <h2>Nodes</h2>
          <NodeTable nodes={nodes} problemsOf={problemsOf} />
        </section>
        <section aria-label="Connections as text" className="min-w-0">
          <h2>Connections</h2>
          <ConnectionList nodes={nodes} connections={connections} />
        </section>
      </div>
    </>
  );
}

function Chosen({
  node,
  problems,
}: {
  readonly node: DraftNode;
  readonly problems: readonly DraftProblem[];
}): ReactNode {
  return (
    <>
      <p className="font-semibold">
        <NodeName name={node.name} limit={400} />
      </p>
      <p className="code text-muted">
        <Text value={node.type} limit={400} />
        {node.typeVersion !== undefined && ` version ${node.typeVersion}`}
        {node.disabled && ', disabled'}
      </p>
      {problems.length > 0 && <Problems problems={problems} />}
    </>
  );
}

/** Returns the problems by the name of their node. Those of no node, or of an unknown one, belong to the workflow. */
function problemsByNode(
  nodes: readonly DraftNode[],
  problems: readonly DraftProblem[],
): Map<string | undefined, DraftProblem[]> {
  const names = new Set(nodes.map(({ name }) => name));
  const by = new Map<string | undefined, DraftProblem[]>();
  for (const problem of problems) {
    const name = problem.node !== undefined && names.has(problem.node) ? problem.node : undefined;
    by.set(name, [...(by.get(name) ?? []), problem]);
  }
  return by;
}
