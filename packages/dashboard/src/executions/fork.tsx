import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId, useRef, useState } from 'react';
import { request } from '../api/client.ts';
import { callsQuery, type LoadedExecution } from '../api/executions.ts';
import { newRequestKey } from '../api/request-key.ts';
import { queryText } from '../api/session.ts';
import { Editor } from '../code/editor.tsx';
import { Failure } from '../parts/states.tsx';
import { visibleText } from '../text/visible.ts';

interface ForkProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
  readonly close: () => void;
}

/** Edits the program and runs it again from one of its calls. */
export default function Fork({ execution, userId, close }: ForkProps): ReactNode {
  const { executionId, source, language } = execution;
  const { data: calls = [] } = useQuery(callsQuery(executionId, { userId }));
  const [code, setCode] = useState(source);
  const [at, setAt] = useState(0);
  const sent = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const navigate = useNavigate();
  const field = useId();
  const run = useMutation({
    mutationFn: async () => {
      const body = JSON.stringify({ at, code: code === source ? undefined : code });
      // The same fork again, after a lost answer, starts no second execution.
      if (sent.current?.body !== body) sent.current = { body, key: newRequestKey() };
      const headers = { 'content-type': 'application/json', 'idempotency-key': sent.current.key };
      const path = `executions/${executionId}/fork${queryText({ userId })}`;
      return (await (await request(path, { method: 'POST', body, headers })).json()) as {
        readonly executionId: string;
      };
    },
    onSuccess: ({ executionId: id }) => {
      close();
      void navigate({ to: '/ui/executions/$id', params: { id }, search: { userId, with: executionId } });
    },
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <label htmlFor={field}>Repeat recorded answers up to</label>
        <select id={field} value={at} onChange={(event) => setAt(Number(event.target.value))}>
          <option value={0}>none: send all calls</option>
          {calls.map(({ number, tool }) => (
            <option key={number} value={number}>
              {`call ${number}: ${visibleText(tool, 60)}`}
            </option>
          ))}
        </select>
      </div>
      <Editor value={source} language={language} change={setCode} label="Program of the fork" />
      {run.error && <Failure error={run.error} />}
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
        <button type="button" className="button button-main" disabled={run.isPending} onClick={() => run.mutate()}>
          {run.isPending ? 'Running' : 'Run the fork'}
        </button>
      </div>
    </>
  );
}
