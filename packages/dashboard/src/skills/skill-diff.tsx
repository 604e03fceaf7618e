import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { get, queryText } from '../api/session.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';

interface SkillDiffProps {
  readonly name: string;
  readonly to: number;
  readonly versions: readonly number[];
}
interface Files {
  readonly files: readonly { readonly path: string; readonly change: string; readonly diff?: string }[];
}

/** The changes of a version compared with an earlier one. */
export function SkillDiff({ name, to, versions }: SkillDiffProps): ReactNode {
  const earlier = versions.filter((version) => version < to).sort((a, b) => b - a);
  const [from, setFrom] = useState<number>();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['skills', name, 'diff', from, to],
    enabled: from !== undefined,
    queryFn: ({ signal }) => get<Files>(`skills/${encodeURIComponent(name)}/diff${queryText({ from, to })}`, signal),
  });
  if (earlier.length === 0) return null;
  return (
    <div className="mt-2">
      <label className="flex items-center gap-2">
        Changes since
        <select value={from ?? ''} onChange={(event) => setFrom(Number(event.target.value) || undefined)}>
          <option value="">choose a version</option>
          {earlier.map((version) => (
            <option key={version} value={version}>{`v${version}`}</option>
          ))}
        </select>
      </label>
      {from === undefined ? null : isPending ? (
        <Loading rows={3} label="Comparing" />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        data.files.map(({ path, change, diff }) => (
          <section key={path} aria-label={visibleText(path)} className="mt-2">
            <h3 className="code">
              {change}: <Text value={path} limit={120} />
            </h3>
            {diff !== undefined && (
              <pre className="code overflow-x-auto rounded-md border border-line p-2" tabIndex={0}>
                <Text value={diff} limit={8_000} />
              </pre>
            )}
          </section>
        ))
      )}
    </div>
  );
}
