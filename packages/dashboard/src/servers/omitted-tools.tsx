import type { ReactNode } from 'react';
import type { ServerHealth } from '../api/types.ts';
import { count } from '../text/format.ts';
import { Text } from '../text/text.tsx';

/** The tools of a server that nobody can use, with the reasons. */
export function OmittedTools({ tools }: { readonly tools: NonNullable<ServerHealth['omittedTools']> }): ReactNode {
  return (
    <details className="mt-1 text-wait">
      <summary className="cursor-pointer">
        {tools.length === 1 ? '1 tool' : `${count(tools.length)} tools`} cannot be used
      </summary>
      <ul>
        {tools.map(({ name, problem }, index) => (
          <li key={index}>
            <Text value={name} limit={80} className="code" />: <Text value={problem} limit={300} />
          </li>
        ))}
      </ul>
    </details>
  );
}
