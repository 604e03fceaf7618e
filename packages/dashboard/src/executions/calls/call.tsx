import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ExecutionCall } from '../../api/client.ts';
import { type Values, wholeCallQuery } from '../../api/executions.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { platform } from '../../platforms/current.ts';
import { bytes, clock, duration } from '../../text/format.ts';
import { Json } from '../../text/json.tsx';
import { Text } from '../../text/text.tsx';

interface CallProps {
  readonly executionId: string;
  readonly call: ExecutionCall;
  readonly userId: string;
  readonly values: Values;
}

/** The arguments and the answer of a tool call. */
export function Call(props: CallProps): ReactNode {
  const { tool, outcome, startedAt, endedAt, argumentBytes, resultBytes, isInvented, result } = props.call;
  const took = endedAt === undefined ? '' : `, ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`;
  return (
    <>
      <h2 className="code">
        <Text value={tool} />
      </h2>
      <p className={outcome === 'answered' ? 'text-muted' : outcome === 'failed' ? 'text-bad' : 'text-wait'}>
        {isInvented ? 'not sent: a dry run invented the answer' : outcome}
        {took} <span className="text-muted">at {clock(startedAt)}</span>
      </p>
      <h3 className="mt-3 text-xs text-muted">Arguments, {bytes(argumentBytes)}</h3>
      <Value {...props} part="arguments" size={argumentBytes} />
      <h3 className="mt-3 text-xs text-muted">
        {outcome === 'failed' ? 'Error' : 'Result'}
        {resultBytes !== undefined && `, ${bytes(resultBytes)}`}
      </h3>
      {resultBytes === undefined && result === undefined ? (
        <p className="text-muted">None yet.</p>
      ) : (
        <Value {...props} part="result" size={resultBytes ?? 0} />
      )}
    </>
  );
}

interface ValueProps extends CallProps {
  readonly part: 'arguments' | 'result';
  readonly size: number;
}

function Value(props: ValueProps): ReactNode {
  const { executionId, call, values, part, size } = props;
  const value = call[part];
  if (value !== undefined || size === 0) return <Json value={value} />;
  return <LargeValue key={`${executionId} ${call.number} ${values}`} {...props} />;
}

/** A value that the list of calls leaves out. It is loaded when the person asks for it. */
function LargeValue({ executionId, call: { number }, userId, values, part }: ValueProps): ReactNode {
  const [isWanted, setWanted] = useState(false);
  const { data, error, refetch } = useQuery({
    ...wholeCallQuery(executionId, number, { userId }, values),
    enabled: isWanted,
  });
  if (!isWanted)
    return (
      <button type="button" className="button" onClick={() => setWanted(true)}>
        Show the {part} over 16 KiB
      </button>
    );
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={3} label="Loading the value" />;
  const value = data[part];
  if (value === undefined) return <p className="text-muted">Over 64 MiB. The journal of the server has it.</p>;
  const save = () =>
    platform.saveFile(`call-${number}-${part}.json`, JSON.stringify(value, null, 2), 'application/json');
  return (
    <>
      <button type="button" className="button mb-1" onClick={save}>
        Save the {part}
      </button>
      <Json value={value} />
    </>
  );
}
