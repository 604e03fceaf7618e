import type { ReactNode } from 'react';
import type { LoadedExecution } from '../api/executions.ts';
import { Text } from '../text/text.tsx';

/** The error of an execution with its fix and its place. */
export function ErrorView({ error }: { readonly error: NonNullable<LoadedExecution['error']> }): ReactNode {
  const { code, name, message, line, column, hint, stack, tool } = error as typeof error & {
    readonly [part in 'hint' | 'stack' | 'tool']?: string;
  } & { readonly line?: number; readonly column?: number };
  return (
    <div role="group" aria-label="Error">
      <p className="font-semibold text-bad">
        <Text value={code} />{' '}
        <span className="font-normal">
          <Text value={name} />
        </span>
      </p>
      <p className="mt-1 whitespace-pre-wrap">
        <Text value={message} />
      </p>
      {hint !== undefined && (
        <p className="mt-2 rounded-md bg-sunken p-2 whitespace-pre-wrap">
          <strong>Fix</strong> <Text value={hint} />
        </p>
      )}
      {(line !== undefined || tool !== undefined) && (
        <p className="mt-2 text-muted">
          {line !== undefined && `Line ${line}${column === undefined ? '' : `, column ${column}`}. `}
          {tool !== undefined && <Text value={`Tool ${tool}`} />}
        </p>
      )}
      {stack !== undefined && (
        <pre className="code mt-2 overflow-x-auto text-muted">
          <Text value={stack} />
        </pre>
      )}
    </div>
  );
}
