import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to the execution of a program. */
export function ExecutionLink({
  executionId,
  userId,
}: {
  readonly executionId: string;
  readonly userId: string;
}): ReactNode {
  return (
    <Link to="/ui/executions/$id" params={{ id: executionId }} search={{ userId }} className="code">
      {executionId.slice(0, 8)}
    </Link>
  );
}
