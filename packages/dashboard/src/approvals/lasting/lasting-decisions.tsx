import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../../api/client.ts';
import { get, queryText, send, useSession } from '../../api/session.ts';
import { useNow } from '../../app/now.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { leaveOnEscape } from '../../parts/keys.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { ago, clock, count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { visibleText } from '../../text/visible.ts';

type Decisions = Answer<'/lasting-decisions'>;
type Decision = Decisions['decisions'][number];

const KEY = 'lasting-decisions';
const ARGUMENTS: Readonly<Record<Decision['arguments'], string>> = {
  exact: 'with the same arguments',
  targets: 'for the same targets',
  any: 'with any arguments',
  schema: 'with arguments that fit a schema',
};

/** The approvals of later calls, each with a button that revokes it. An approver may look at those of other users. */
export function LastingDecisions(): ReactNode {
  const { user, allUsers } = useSession();
  const [chosen, setChosen] = useState('');
  const userId = chosen.trim() === '' ? user : chosen.trim();
  const { data, error, refetch } = useQuery({
    queryKey: [KEY, userId],
    queryFn: ({ signal }) => get<Decisions>(`lasting-decisions${queryText({ userId })}`, signal),
  });
  const total = data?.decisions.length ?? 0;
  return (
    <section aria-label="Approvals that last" className="border-b border-line bg-panel p-2">
      <details>
        <summary className="cursor-pointer">Approvals that last{total > 0 && ` (${count(total)})`}</summary>
        {allUsers && (
          <input
            type="search"
            className="w-60"
            aria-label="User of the approvals that last"
            placeholder={`User, now ${visibleText(user, 60)}`}
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
            onKeyDown={leaveOnEscape}
          />
        )}
        {error && <Failure error={error} retry={() => void refetch()} />}
        {!data && !error && <Loading rows={1} label="Loading the approvals that last" />}
        {data && total === 0 && <Empty title="No approval lasts">Choose “Always …” at a question to add one.</Empty>}
        <ul className="max-h-[30vh] overflow-auto">
          {data?.decisions.map((decision) => (
            <DecisionLine key={decision.id} decision={decision} userId={userId} />
          ))}
        </ul>
      </details>
    </section>
  );
}

function DecisionLine({ decision, userId }: { readonly decision: Decision; readonly userId: string }): ReactNode {
  const { id, tool, arguments: scope, by, at, expiresAt } = decision;
  const now = useNow();
  const client = useQueryClient();
  const revoke = async () => {
    await send('DELETE', `lasting-decisions/${encodeURIComponent(id)}${queryText({ userId })}`);
    await client.invalidateQueries({ queryKey: [KEY] });
  };
  return (
    <li className="flex flex-wrap items-center gap-2 border-t border-line py-1">
      <Text value={tool} limit={80} className="code font-semibold" />
      <span className="text-muted">
        {ARGUMENTS[scope]}, by <Text value={by} limit={60} />, {ago(at, now)}
        {expiresAt !== undefined && `, until ${clock(expiresAt)}`}
      </span>
      <ConfirmButton
        label="Revoke"
        title={`Revoke the approval of ${visibleText(tool, 80)}?`}
        description="Later calls are asked about again."
        action="Revoke it"
        change={revoke}
      />
    </li>
  );
}
