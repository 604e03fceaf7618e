import type { ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { Text } from '../text/text.tsx';

/** Shows that there is nothing, and what a person can do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="mx-auto max-w-prose px-4 py-12 text-center">
      <p className="font-semibold">{title}</p>
      {children !== undefined && <div className="mt-1 text-muted">{children}</div>}
    </div>
  );
}

/** Shows grey lines where content will be. */
export function Loading({
  rows = 6,
  label = 'Loading',
}: {
  readonly rows?: number;
  readonly label?: string;
}): ReactNode {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-2 p-3">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="skeleton h-6" />
      ))}
    </div>
  );
}

/** Shows an error of the API with its code, and a button that tries again. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }): ReactNode {
  const problem = Problem.from(error);
  const { status, code, message, requestId } = problem;
  const fix = fixOf(problem);
  return (
    <div role="alert" className="m-3 rounded-md border border-bad bg-bad-back p-3">
      <p className="font-semibold text-bad">
        <Text value={code} />
        {status > 0 && ` (${status})`}
      </p>
      <p className="mt-1">
        <Text value={message} />
      </p>
      {fix !== undefined && <p className="mt-1">{fix}</p>}
      {requestId !== undefined && <p className="code mt-1 text-muted">Request {requestId}</p>}
      {retry && (
        <button type="button" className="button mt-2" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Returns the fix of a problem whose text has none; undefined for the others, because the server wrote it into the text. */
export function fixOf({ status, code, requestId }: Problem): string | undefined {
  if (code === 'PAGE_ERROR') return 'Load the page again. Report the error if it comes back.';
  if (status < 500 || (code !== 'INTERNAL' && code !== 'UNKNOWN')) return undefined;
  return requestId === undefined
    ? 'Try again later. A proxy may have answered in place of the server.'
    : 'Try again. The log of the server has the reason at the id of this request.';
}
