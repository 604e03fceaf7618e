import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { SkillSummary } from '../api/client.ts';
import { get, queryText } from '../api/session.ts';
import { REFRESH_MS } from '../app/refresh.ts';
import { useTitle } from '../app/title.ts';
import { Program } from '../code/program.tsx';
import { useItemKeys } from '../parts/item-keys.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Typed } from '../parts/typed.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { clock } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import { hasWords } from '../text/words.ts';
import { RunSkill, type SkillSignature } from './run-skill.tsx';

interface LoadedSkill extends SkillSummary {
  readonly body: string;
  readonly signatures?: readonly SkillSignature[];
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly text?: string }[];
  readonly versions?: readonly { readonly version: number; readonly savedAt: string }[];
}

const route = getRouteApi('/ui/skills');

interface SkillDiffProps {
  readonly name: string;
  readonly to: number;
  readonly versions: readonly number[];
}
interface Files {
  readonly files: readonly { readonly path: string; readonly change: string; readonly diff?: string }[];
}

/** The skills of the person: their text, code and versions. */
export function Skills(): ReactNode {
  useTitle('Skills');
  const { name } = route.useSearch();
  const navigate = useNavigate();
  const keys = useItemKeys();
  const [words, setWords] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['skills'],
    queryFn: ({ signal }) => get<{ readonly skills: readonly SkillSummary[] }>('skills', signal),
    refetchInterval: REFRESH_MS,
  });
  if (!data) return <Unloaded title="Skills" label="Loading skills" error={error} retry={() => void refetch()} />;
  const skills = data.skills.filter((skill) => hasWords(`${skill.name} ${skill.description}`, words));
  return (
    <div className="flex h-full min-h-0 flex-col overflow-auto">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
        <h1 className="leading-8">Skills</h1>
        <Typed label="Search skills" value={words} change={setWords} className="w-60" />
      </div>
      {data.skills.length === 0 ? (
        <Empty title="No skills yet">
          An agent saves code that it wants to use again as a skill. Twelve skills to start with:{' '}
          <code className="code">toolwright skills add</code>
        </Empty>
      ) : (
        <div className="grid gap-2 p-2 lg:grid-cols-[minmax(16rem,1fr)_2fr]">
          <ul {...keys} aria-label="Skills" className="panel self-start overflow-hidden">
            {skills.length === 0 && <li className="p-3 text-muted">No skill has these words.</li>}
            {skills.map((skill) => (
              <li key={skill.name} className="border-b border-line last:border-0">
                <button
                  type="button"
                  aria-current={skill.name === name ? 'true' : undefined}
                  onClick={() => void navigate({ to: '/ui/skills', search: { name: skill.name } })}
                  className={`w-full cursor-pointer px-3 py-2 text-left ${skill.name === name ? 'bg-chosen' : 'hover:bg-sunken'}`}
                >
                  <span className="flex justify-between gap-2">
                    <span className="code font-semibold">
                      <Text isCut value={skill.name} limit={64} />
                    </span>
                    <span className="text-muted">v{skill.version}</span>
                  </span>
                  <span className="block text-muted">
                    <Text isCut value={skill.description} limit={160} />
                  </span>
                  {skill.problem !== undefined && (
                    <span className="block text-bad">
                      <Text isCut value={skill.problem} limit={200} />
                    </span>
                  )}
                </button>
              </li>
            ))}
          </ul>
          {name !== undefined && (
            <Skill name={name} current={data.skills.find((each) => each.name === name)?.version} />
          )}
        </div>
      )}
    </div>
  );
}

interface SkillProps {
  readonly name: string;
  /** The version that programs use; undefined if the skill was removed. */
  readonly current: number | undefined;
}

function Skill({ name, current }: SkillProps): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['skills', name, search.version],
    queryFn: ({ signal }) =>
      get<LoadedSkill>(`skills/${encodeURIComponent(name)}${queryText({ version: search.version })}`, signal),
  });
  if (isPending) return <Loading label="Loading the skill" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const { versions = [] } = data;
  const isOther = search.version !== undefined && Number(search.version) !== current;
  return (
    <section aria-label="Skill" className="panel min-w-0 p-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="code text-base">
          <Text isCut value={name} limit={64} />
        </h2>
        {versions.length > 0 && (
          <select
            aria-label="Version"
            value={search.version ?? data.version}
            onChange={(event) => void navigate({ to: '/ui/skills', search: { name, version: event.target.value } })}
          >
            {versions.map(({ version, savedAt }) => (
              <option key={version} value={version}>{`v${version}, ${clock(savedAt)}`}</option>
            ))}
          </select>
        )}
      </div>
      {data.body !== '' && (
        <p className="mt-2 max-w-prose whitespace-pre-wrap">
          <Text value={data.body} limit={8_000} />
        </p>
      )}
      {data.problem === undefined && (
        <RunSkill key={name} name={name} signatures={data.signatures ?? []} isOther={isOther} />
      )}
      {versions.length > 1 && (
        <SkillDiff
          name={name}
          to={Number(search.version ?? data.version)}
          versions={versions.map(({ version }) => version)}
        />
      )}
      {data.files.map(({ path, text }) => (
        <details key={path} open={data.files.length < 4} className="mt-2">
          <summary className="code cursor-pointer">
            <Text isCut value={path} limit={120} />
          </summary>
          {text === undefined ? (
            <p className="text-muted">Not a text.</p>
          ) : (
            <div className="max-h-96 overflow-hidden rounded-md border border-line">
              <Program source={text} language={path.endsWith('.py') ? 'python' : 'typescript'} />
            </div>
          )}
        </details>
      ))}
    </section>
  );
}

/** The changes of a version compared with an earlier one. */
function SkillDiff({ name, to, versions }: SkillDiffProps): ReactNode {
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
