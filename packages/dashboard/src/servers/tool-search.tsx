import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { Answer } from '../api/client.ts';
import { get, pathText, queryText, send, useSession } from '../api/session.ts';
import { Program } from '../code/program.tsx';
import { type Ended, EndedExecution } from '../parts/ended-execution.tsx';
import { useItemKeys } from '../parts/item-keys.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Typed } from '../parts/typed.tsx';
import { count } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import { argumentsOf, type Field, fieldsOf } from './schema-form.ts';

const MAX_HITS = 20;
const MAX_SHOWN = 200;
const route = getRouteApi('/ui/servers');

interface FieldInputProps {
  readonly field: Field;
  readonly value: string;
  readonly change: (text: string) => void;
}

/** The catalog as agents search it, with the tokens that an answer costs. */
export function ToolSearch(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const [limit, setLimit] = useState(MAX_SHOWN);
  const keys = useItemKeys();
  const query = search.q ?? '';
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['tools', query],
    queryFn: ({ signal }) =>
      get<Answer<'/tools'>>(`tools${queryText(query === '' ? {} : { query, limit: MAX_HITS })}`, signal),
  });
  const go = (part: { readonly q?: string; readonly tool?: string }) =>
    void navigate({ to: '/ui/servers', search: { ...search, tab: 'catalog', ...part }, replace: true });
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <div className="min-w-0">
        <Typed label="Search as an agent does" value={query} change={(q) => go({ q })} className="w-full" />
        {data?.textTokens !== undefined && (
          <p className="mt-1 text-muted">An agent reads {count(data.textTokens)} tokens.</p>
        )}
        {isPending ? (
          <Loading label="Searching" />
        ) : error ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : data.tools.length === 0 ? (
          <Empty title="No tools">{data.note !== undefined && <Text value={data.note} />}</Empty>
        ) : (
          <ul {...keys} className="mt-2">
            {data.tools.slice(0, limit).map(({ name, description, tokens }) => (
              <li key={name}>
                <button
                  type="button"
                  aria-current={name === search.tool ? 'true' : undefined}
                  onClick={() => go({ tool: name })}
                  className={`w-full cursor-pointer rounded px-2 py-1 text-left ${name === search.tool ? 'bg-chosen' : 'hover:bg-sunken'}`}
                >
                  <span className="code font-semibold">
                    <Text isCut value={name} limit={120} />
                  </span>
                  {tokens !== undefined && <span className="text-muted"> {count(tokens)} tokens</span>}
                  <span className="block truncate text-muted">
                    <Text isCut value={description} limit={200} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {data && data.tools.length > limit && (
          <button type="button" className="button mt-2" onClick={() => setLimit(limit * 4)}>
            {count(data.tools.length - limit)} more
          </button>
        )}
      </div>
      {search.tool && <Tool key={search.tool} name={search.tool} />}
    </div>
  );
}

function Tool({ name }: { readonly name: string }): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['tool', name],
    queryFn: ({ signal }) =>
      get<{ readonly definition: string; readonly tokens?: number }>(`tools/${pathText(name)}?detail=docs`, signal),
  });
  const section = useRef<HTMLElement>(null);
  // On a phone, the detail is above the list. The browser may return a promise, which is no cleanup.
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section
      ref={section}
      aria-label="Tool"
      className="min-w-0 max-lg:order-first lg:sticky lg:top-0 lg:max-h-[calc(100dvh-4rem)] lg:self-start lg:overflow-auto"
    >
      <h2 className="code">
        <Text isCut value={name} limit={200} />
      </h2>
      {isPending ? (
        <Loading rows={4} label="Loading the tool" />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <>
          {data.tokens !== undefined && <p className="text-muted">{count(data.tokens)} tokens</p>}
          <div className="mt-2 max-h-80 overflow-hidden rounded-md border border-line">
            <Program source={data.definition} language="typescript" />
          </div>
          <TryTool name={name} />
        </>
      )}
    </section>
  );
}

/** Calls a tool with the arguments of a form, under the policy as a program would. */
function TryTool({ name }: { readonly name: string }): ReactNode {
  const { roles } = useSession();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const path = `tools/${pathText(name)}`;
  const { data } = useQuery({
    queryKey: ['tool', name, 'schema'],
    queryFn: async ({ signal }) =>
      schemaIn(await get<{ readonly definition: string }>(`${path}?detail=schema`, signal)),
  });
  const call = useMutation({
    mutationFn: (fields: readonly Field[]) =>
      send<Ended>('POST', `${path}/call`, { arguments: argumentsOf(fields, values) }),
  });
  if (!roles.includes('admin')) return <p className="mt-3 text-muted">Administrators can try this tool here.</p>;
  const fields = fieldsOf(data);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    call.mutate(fields);
  };
  return (
    <form className="mt-3 flex flex-col gap-2" onSubmit={submit}>
      <h3 className="font-semibold">Try it</h3>
      <p className="text-muted">The call is sent, and the policy applies as for a program.</p>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name] ?? field.initial}
          change={(text) => setValues({ ...values, [field.name]: text })}
        />
      ))}
      <button type="submit" className="button self-start" disabled={call.isPending}>
        {call.isPending ? 'Calling' : 'Call'}
      </button>
      {call.error && <Failure error={call.error} />}
      {call.data && <EndedExecution ended={call.data} />}
    </form>
  );
}

/** Returns the schema of the arguments in the JSON of a definition. */
function schemaIn({ definition }: { readonly definition: string }): unknown {
  try {
    const parsed = JSON.parse(definition) as { readonly inputSchema?: unknown; readonly input?: unknown };
    return parsed.inputSchema ?? parsed.input ?? null;
  } catch {
    return null;
  }
}

function FieldInput({ field, value, change }: FieldInputProps): ReactNode {
  const id = useId();
  const { name, kind, isRequired, description, choices } = field;
  const options = kind === 'boolean' ? ['true', 'false'] : choices;
  return (
    <>
      <label htmlFor={id}>
        <Text value={name} limit={80} className="code" />
        {isRequired && <span className="text-muted"> required</span>}
        {description !== undefined && (
          <span className="block text-xs text-muted">
            <Text value={description} limit={300} />
          </span>
        )}
      </label>
      {options ? (
        <select id={id} value={value} required={isRequired} onChange={(event) => change(event.target.value)}>
          <option value="" />
          {options.map((option) => (
            <option key={option} value={option}>
              {visibleText(option, 100)}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea
          id={id}
          value={value}
          rows={3}
          required={isRequired}
          className="code"
          onChange={(event) => change(event.target.value)}
        />
      ) : (
        <input
          id={id}
          value={value}
          required={isRequired && kind !== 'text'}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </>
  );
}
