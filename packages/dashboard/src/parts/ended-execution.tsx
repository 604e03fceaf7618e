import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { Json } from '../text/json.tsx';

/** The end of an execution that the person started on a page. */
export interface Ended {
  readonly executionId: string;
  readonly status: string;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** Shows the status of an ended execution, a link to it, and its value or error. */
export function EndedExecution({ ended: { executionId, status, value, error } }: { readonly ended: Ended }): ReactNode {
  const { user } = useSession();
  return (
    <div role="status">
      <p>
        {status}{' '}
        <Link to="/ui/executions/$id" params={{ id: executionId }} search={{ userId: user }}>
          execution
        </Link>
      </p>
      <Json value={value ?? error} />
    </div>
  );
}
