import type { ReactNode } from 'react';
import { Failure, Loading } from './states.tsx';

interface UnloadedProps {
  readonly title: string;
  /** Names the content that loads. */
  readonly label: string;
  readonly rows?: number;
  /** The reason why it is missing; none while it loads. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** A screen without its data, with the heading that readers of screens look for: grey lines, or the error and a retry. */
export function Unloaded({ title, label, rows = 6, error, retry }: UnloadedProps): ReactNode {
  return (
    <>
      <h1 className="border-b border-line bg-panel p-2 leading-8">{title}</h1>
      {error ? <Failure error={error} retry={retry} /> : <Loading rows={rows} label={label} />}
    </>
  );
}
