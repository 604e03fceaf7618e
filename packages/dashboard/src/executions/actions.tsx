import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { request } from '../api/client.ts';
import type { LoadedExecution } from '../api/executions.ts';
import { queryText, send, useIsOwner, useMayChange } from '../api/session.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useFailureNotice, useNotice } from '../parts/notice.tsx';
import { Loading } from '../parts/states.tsx';
import { platform } from '../platforms/current.ts';

const Fork = lazy(() => import('./fork.tsx'));

interface ActionsProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
}

/** What a person can do with an execution in its state. */
export function Actions({ execution, userId }: ActionsProps): ReactNode {
  const { executionId: id, status, waitingFor } = execution;
  const [isForking, setForking] = useState(false);
  const mayDecide = useMayChange();
  const mayChange = useIsOwner(userId) && mayDecide;
  const isUnderWay = status === 'running' || status === 'suspended';
  const hasEnded = !isUnderWay && status !== 'interrupted';
  const asksPerson = status === 'suspended' && waitingFor?.some((kind) => kind !== 'timer');
  return (
    <>
      {mayDecide && asksPerson && (
        <Link to="/ui/approvals" search={{ executionId: id }} className="button button-main">
          Decide
        </Link>
      )}
      {mayChange && isUnderWay && (
        <Send name="Cancel" path={`executions/${id}/cancel`} userId={userId} done="The execution ends in a moment." />
      )}
      {mayChange && status === 'interrupted' && (
        <Send name="Resume" path={`executions/${id}/resume`} userId={userId} done="The execution went on." />
      )}
      {mayChange && hasEnded && <RunAgain id={id} userId={userId} />}
      {mayChange && hasEnded && (
        <button type="button" className="button" onClick={() => setForking(true)}>
          Fork
        </button>
      )}
      {hasEnded && <ExportTest execution={execution} userId={userId} />}
      {mayChange && !isUnderWay && <Remove id={id} userId={userId} />}
      <Dialog
        wide
        title="Fork this execution"
        isOpen={isForking}
        setOpen={setForking}
        description="Runs the program again from one of its calls. The calls before it are not sent: they get their recorded answers."
      >
        <Suspense fallback={<Loading rows={6} label="Loading the editor" />}>
          <Fork execution={execution} userId={userId} close={() => setForking(false)} />
        </Suspense>
      </Dialog>
    </>
  );
}

interface SendProps {
  readonly name: string;
  readonly path: string;
  readonly userId: string;
  readonly done: string;
}

function Send({ name, path, userId, done }: SendProps): ReactNode {
  const client = useQueryClient();
  const [notice, failed] = [useNotice(), useFailureNotice()];
  const { mutate, isPending } = useMutation({
    mutationFn: () => send('POST', `${path}${queryText({ userId })}`, {}),
    onSuccess: () => notice(done),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: ['execution'] }),
  });
  return (
    <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
      {name}
    </button>
  );
}

/** Runs the program once more, with all of its calls, and opens the new execution. */
function RunAgain({ id, userId }: { readonly id: string; readonly userId: string }): ReactNode {
  const navigate = useNavigate();
  const failed = useFailureNotice();
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      send<{ readonly executionId: string }>('POST', `executions/${id}/fork${queryText({ userId })}`, { at: 0 }),
    onSuccess: ({ executionId }) =>
      navigate({ to: '/ui/executions/$id', params: { id: executionId }, search: { userId, with: id } }),
    onError: failed,
  });
  return (
    <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
      {isPending ? 'Running' : 'Run again'}
    </button>
  );
}

function ExportTest({ execution: { executionId, language }, userId }: ActionsProps): ReactNode {
  const failed = useFailureNotice();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const text = await (await request(`executions/${executionId}/test${queryText({ userId })}`)).text();
      const short = executionId.slice(0, 8).replaceAll('-', '_');
      platform.saveFile(language === 'python' ? `test_${short}.py` : `${short}.test.ts`, text, 'text/plain');
    },
    onError: failed,
  });
  return (
    <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
      Export as test
    </button>
  );
}

function Remove({ id, userId }: { readonly id: string; readonly userId: string }): ReactNode {
  const navigate = useNavigate();
  const remove = async () => {
    await send('DELETE', `executions/${id}${queryText({ userId })}`);
    await navigate({ to: '/ui/executions', search: {} });
  };
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this execution?"
      description="Its journal and its files are deleted. This cannot be undone."
      change={remove}
    />
  );
}
