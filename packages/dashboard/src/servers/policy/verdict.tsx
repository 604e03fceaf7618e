import type { ReactNode } from 'react';
import type { PolicyExplanation } from '../../api/types.ts';
import { Text } from '../../text/text.tsx';

const TRAITS = [
  ['readOnlyHint', 'read-only'],
  ['destructiveHint', 'destructive'],
  ['idempotentHint', 'idempotent'],
  ['openWorldHint', 'open to the world'],
] as const;

/** The decision about a tested call: its rule, and why no earlier rule decides. */
export function PolicyVerdict({ verdict }: { readonly verdict: PolicyExplanation }): ReactNode {
  const { action, rule, limit, annotations, earlier } = verdict;
  const traits = TRAITS.map(([key, name]) => (annotations[key] === true ? name : `not ${name}`));
  return (
    <>
      <p className="text-lg font-semibold">{action === 'depends' ? 'depends on the arguments' : action}</p>
      <p>
        By <Text value={rule} className="code" />
        {limit !== undefined && `, at most ${limit}`}
      </p>
      <p className="text-muted">The tool is {traits.join(', ')}.</p>
      {earlier.length > 0 && (
        <ol aria-label="Earlier rules" className="mt-2">
          {earlier.map(({ rule: name, action: other, depends, key, condition }, place) => (
            <li key={place} className="text-muted">
              <Text value={name} limit={120} className="code" /> ({other})
              {depends ? ' depends on: ' : ' does not match: '}
              <Text value={condition === undefined ? key : `${key}, ${condition}`} limit={200} className="code" />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
