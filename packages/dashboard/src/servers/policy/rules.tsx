import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, useSession } from '../../api/session.ts';
import type { Policy, PolicyRule } from '../../api/types.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Json } from '../../text/json.tsx';
import { Text } from '../../text/text.tsx';
import { conditionsOf, declarationText, presetText } from './conditions.ts';

/** The place of the rule that decides a call. The preset is after the last rule. */
export interface DecidingRule {
  readonly place: number;
  /** Whether an earlier rule may decide, by the arguments. */
  readonly isOpen: boolean;
}

const LOOK: Readonly<Record<PolicyRule['action'], string>> = {
  allow: 'text-muted',
  ask: 'font-medium text-wait',
  deny: 'font-medium text-bad',
};

/** The rules in force, in their order, with a mark at the one that decided a tested call. */
export function PolicyRules({ deciding }: { readonly deciding: DecidingRule | undefined }): ReactNode {
  const { roles, allUsers } = useSession();
  const mayRead = allUsers || roles.includes('admin');
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['policy'],
    enabled: mayRead,
    queryFn: ({ signal }) => get<Policy>('policy', signal),
  });
  if (!mayRead)
    return (
      <p className="text-muted">Rules may name other users. Administrators and approvers of all calls see them.</p>
    );
  if (isPending) return <Loading label="Loading the rules" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const { rules, preset, tools } = data;
  const markAt = (place: number) => (deciding?.place === place ? deciding : undefined);
  return (
    <section aria-label="Rules">
      <h2 className="font-semibold">Rules in force</h2>
      <p className="text-muted">The first rule that matches decides. A rule matches if all its conditions hold.</p>
      <ol className="mt-2 border-t border-line">
        {rules.map((rule, place) => (
          <Row key={place} place={place} deciding={markAt(place)}>
            <Text value={rule.rule} limit={120} className="code font-semibold" />
            <span className={LOOK[rule.action]}>{rule.action}</span>
            {rule.limit !== undefined && <span className="text-muted">at most {rule.limit}</span>}
            <Conditions rule={rule} />
          </Row>
        ))}
        <Row place={rules.length} deciding={markAt(rules.length)}>
          {presetText(preset)}
        </Row>
      </ol>
      {tools.length > 0 && (
        <>
          <h2 className="mt-4 font-semibold">Declared tools</h2>
          <ul>
            {tools.map((mark, place) => (
              <li key={place} className="code">
                <Text value={declarationText(mark)} limit={400} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface RowProps {
  readonly place: number;
  readonly deciding: DecidingRule | undefined;
  readonly children: ReactNode;
}

function Row({ place, deciding, children }: RowProps): ReactNode {
  return (
    <li
      aria-current={deciding ? 'true' : undefined}
      className={`flex flex-wrap items-baseline gap-x-4 border-b border-line px-2 py-2 ${deciding ? 'bg-chosen' : ''}`}
    >
      <span className="w-6 text-muted">{place + 1}</span>
      {children}
      {deciding && (
        <span className="font-medium">
          decides this call{deciding.isOpen && ', unless an earlier rule matches its arguments'}
        </span>
      )}
    </li>
  );
}

function Conditions({ rule }: { readonly rule: PolicyRule }): ReactNode {
  const conditions = conditionsOf(rule);
  if (conditions.length === 0 && rule.arguments === undefined)
    return <span className="text-muted">matches every call</span>;
  return (
    <div className="flex min-w-0 basis-full flex-wrap gap-x-4 pl-10">
      {conditions.map(([key, values]) => (
        <span key={key}>
          <Text value={key} limit={80} className="text-muted" /> <Text value={values} limit={400} className="code" />
        </span>
      ))}
      {rule.arguments !== undefined && (
        <details className="min-w-0 basis-full">
          <summary className="cursor-pointer text-muted">arguments</summary>
          <Json value={rule.arguments} />
        </details>
      )}
    </div>
  );
}
