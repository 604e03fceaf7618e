import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { send, useMayChange } from '../api/session.ts';
import { type Ended, EndedExecution } from '../parts/ended-execution.tsx';
import { Failure } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';
import { runProgram } from './run-program.ts';

/** The call of a skill in one language. */
export interface SkillSignature {
  readonly language: string;
  readonly call: string;
}

interface RunSkillProps {
  readonly name: string;
  readonly signatures: readonly SkillSignature[];
  /** Whether it is another version than the current one, which alone programs can run. */
  readonly isOther: boolean;
}

/** Shows the signatures of a skill, and runs it in a program of the person. */
export function RunSkill({ name, signatures, isOther }: RunSkillProps): ReactNode {
  const [args, setArgs] = useState('{}');
  const [language, setLanguage] = useState(signatures[0]?.language ?? 'typescript');
  const [field, reason] = [useId(), useId()];
  const run = useMutation({
    mutationFn: async () => send<Ended>('POST', 'execute', { code: runProgram(name, language, args), language }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run.mutate();
  };
  const mayChange = useMayChange();
  if (signatures.length === 0) return null;
  if (!mayChange) return <Signatures signatures={signatures} />;
  return (
    <form className="mt-3 flex flex-col gap-2" onSubmit={submit}>
      <Signatures signatures={signatures} />
      <label htmlFor={field} className="text-muted">
        Arguments of the skill, as JSON
      </label>
      <textarea id={field} value={args} rows={3} className="code" onChange={(event) => setArgs(event.target.value)} />
      <div className="flex gap-2">
        {signatures.length > 1 && (
          <select aria-label="Language" value={language} onChange={(event) => setLanguage(event.target.value)}>
            {signatures.map(({ language: each }) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        <button
          type="submit"
          className="button"
          disabled={run.isPending || isOther}
          aria-describedby={isOther ? reason : undefined}
        >
          {run.isPending ? 'Running' : 'Run'}
        </button>
      </div>
      {isOther && (
        <p id={reason} className="text-muted">
          Programs run the current version of a skill. Choose that version to run it.
        </p>
      )}
      {run.error && <Failure error={run.error} />}
      {run.data && <EndedExecution ended={run.data} />}
    </form>
  );
}

function Signatures({ signatures }: { readonly signatures: readonly SkillSignature[] }): ReactNode {
  return (
    <ul aria-label="Signatures">
      {signatures.map(({ language, call }) => (
        <li key={language} className="code">
          <Text value={call} limit={1_000} />
        </li>
      ))}
    </ul>
  );
}
