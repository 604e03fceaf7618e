import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { get, pathText, send, useSession } from '../api/session.ts';
import { type Ended, EndedExecution } from '../parts/ended-execution.tsx';
import { Failure } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import { argumentsOf, type Field, fieldsOf } from './schema-form.ts';

/** Calls a tool with the arguments of a form, under the policy as a program would. */
export function TryTool({ name }: { readonly name: string }): ReactNode {
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

interface FieldInputProps {
  readonly field: Field;
  readonly value: string;
  readonly change: (text: string) => void;
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
