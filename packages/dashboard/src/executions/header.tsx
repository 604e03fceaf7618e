import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { request } from '../api/client.ts';
import type { LoadedExecution } from '../api/executions.ts';
import { queryText, send, useIsOwner, useMayChange } from '../api/session.ts';
import { useNow } from '../app/now.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useFailureNotice, useNotice } from '../parts/notice.tsx';
import { Loading } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { platform } from '../platforms/current.ts';
import { clock, count, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { firstLine } from './first-line.ts';

interface HeaderProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
}

const Fork = lazy(() => import('./fork.tsx'));

interface ActionsProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
}

interface SendProps {
  readonly name: string;
  readonly path: string;
  readonly userId: string;
  readonly done: string;
}

/** The status of an execution, its facts, and what a person can do with it. */
export function Header({ execution, userId }: HeaderProps): ReactNode {
  const { executionId, status, waitingFor, wakeAt, startedAt, stats, language, sandbox, source } = execution;
  const { forkedFrom, isDryRun } = execution;
  const tokens = stats?.tokens as { readonly code: number; readonly output: number } | undefined;
  const now = useNow(1_000);
  const end = execution.endedAt === undefined ? now : Date.parse(execution.endedAt);
  return (
    <header className="border-b border-line bg-panel px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Status status={status} waitingFor={waitingFor} />
        <h1 className="order-last min-w-0 flex-1 basis-full truncate md:order-none md:basis-0">
          <Text isCut value={firstLine(source) ?? 'Empty program'} limit={120} className="code" />{' '}
          <span className="text-xs font-normal text-muted">{executionId}</span>
        </h1>
        <div className="ml-auto flex flex-wrap gap-2">
          <Actions execution={execution} userId={userId} />
        </div>
      </div>
      <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-muted">
        <Fact name="Started">{clock(startedAt)}</Fact>
        <Fact name="Took">{duration(stats?.totalMs ?? end - Date.parse(startedAt))}</Fact>
        {status === 'suspended' && wakeAt !== undefined && (
          <Fact name={waitingFor?.[0] === 'timer' ? 'Goes on in' : 'Refused in'}>
            {duration(Math.max(0, Date.parse(wakeAt) - now))}
          </Fact>
        )}
        {stats && <Fact name="Calls">{count(stats.toolCalls)}</Fact>}
        {tokens && (
          <Fact name="Tokens">
            {count(tokens.code)} program, {count(tokens.output)} answer
          </Fact>
        )}
        <Fact name="Sandbox">
          {language} in {sandbox}
        </Fact>
        <Fact name="User">
          <Text value={execution.userId ?? userId} limit={60} />
        </Fact>
        <SessionFact execution={execution} userId={userId} />
        {forkedFrom && (
          <Fact name="Fork of">
            <Link to="/ui/executions/$id" params={{ id: forkedFrom.id }} search={{ userId }}>
              {forkedFrom.id.slice(0, 8)}
            </Link>{' '}
            after call {forkedFrom.at}
          </Fact>
        )}
        {isDryRun && <Fact name="Mode">dry run</Fact>}
      </dl>
    </header>
  );
}

/** The session, with a link for its owner: nobody else can read it. */
function SessionFact({ execution: { sessionId }, userId }: HeaderProps): ReactNode {
  const isOwner = useIsOwner(userId);
  if (sessionId === undefined) return null;
  const short = sessionId.slice(0, 13);
  return (
    <Fact name="Session">
      {isOwner ? (
        <Link to="/ui/sessions/$id" params={{ id: sessionId }} search={{ userId }}>
          {short}
        </Link>
      ) : (
        short
      )}
    </Fact>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="flex gap-1">
      <dt>{name}</dt>
      <dd className="text-ink">{children}</dd>
    </div>
  );
}

/** What a person can do with an execution in its state. */
function Actions({ execution, userId }: ActionsProps): ReactNode {
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
