import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId, useRef, useState } from 'react';
import { request } from '../api/client.ts';
import type { LoadedExecution } from '../api/executions.ts';
import { newRequestKey } from '../api/request-key.ts';
import { Editor } from '../code/editor.tsx';
import { Failure } from '../parts/states.tsx';
import { Json } from '../text/json.tsx';
import { ErrorView } from './error-view.tsx';

/** A program that takes longer is followed on its own page. */
const PREFER = 'respond-async, wait=10';
const EXAMPLES: Readonly<Record<string, string>> = {
  typescript: "const tools = await search_tools('list files');\nreturn tools;\n",
  python: "tools = search_tools('list files')\nresult = tools\n",
};

/** Runs a program that a person writes. A mistake that the check finds is shown here: nothing has run then. */
export default function RunProgram({ close }: { readonly close: () => void }): ReactNode {
  const [language, setLanguage] = useState('typescript');
  const [code, setCode] = useState(EXAMPLES.typescript ?? '');
  const sent = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const navigate = useNavigate();
  const field = useId();
  const run = useMutation({
    mutationFn: async (): Promise<LoadedExecution> => {
      const body = JSON.stringify({ code, language });
      // The same program again, after a lost answer, starts no second execution.
      if (sent.current?.body !== body || run.data !== undefined) sent.current = { body, key: newRequestKey() };
      const headers = { 'content-type': 'application/json', prefer: PREFER, 'idempotency-key': sent.current.key };
      return (await (await request('execute', { method: 'POST', body, headers })).json()) as LoadedExecution;
    },
    onSuccess: ({ executionId, status }) => {
      if (status === 'running' || status === 'suspended') open(executionId);
    },
  });
  const open = (id: string) => {
    close();
    void navigate({ to: '/ui/executions/$id', params: { id }, search: {} });
  };
  const choose = (next: string) => {
    if (code === EXAMPLES[language]) setCode(EXAMPLES[next] ?? '');
    setLanguage(next);
  };
  const { data: answer } = run;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <label htmlFor={field}>Language</label>
        <select id={field} value={language} onChange={(event) => choose(event.target.value)}>
          <option value="typescript">TypeScript</option>
          <option value="python">Python</option>
        </select>
      </div>
      <Editor key={language} value={EXAMPLES[language] ?? ''} language={language} change={setCode} label="Program" />
      {run.error && <Failure error={run.error} />}
      <div role="status" aria-label="Answer" className="max-h-[30vh] overflow-auto">
        {answer?.error && <ErrorView error={answer.error} />}
        {answer?.note !== undefined && <p className="text-muted">{answer.note}</p>}
        {answer?.status === 'completed' && answer.value !== undefined && <Json value={answer.value} />}
      </div>
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
        {answer && (
          <button type="button" className="button" onClick={() => open(answer.executionId)}>
            Open the execution
          </button>
        )}
        <button type="button" className="button button-main" disabled={run.isPending} onClick={() => run.mutate()}>
          {run.isPending ? 'Running' : 'Run'}
        </button>
      </div>
    </>
  );
}
