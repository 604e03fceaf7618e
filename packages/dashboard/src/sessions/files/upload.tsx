import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { request } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useFailureNotice, useNotice } from '../../parts/notice.tsx';
import { bytes, count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { chosenFiles, droppedFiles, type LocalFile } from './dropped.ts';
import { filePath, MAX_FILE_BYTES } from './file-path.ts';

const MAX_NAMES = 5;

interface UploadProps {
  readonly sessionId: string;
  readonly userId: string;
  /** Paths that exist. */
  readonly known: ReadonlySet<string>;
}

interface Progress {
  readonly done: number;
  readonly all: number;
  readonly path: string;
}

interface UploadOptions {
  readonly sessionId: string;
  readonly userId: string;
  readonly signal: AbortSignal;
  /** Called before each file. */
  readonly onFile: (done: number, path: string) => void;
}

/** The end of an upload. */
interface Uploaded {
  readonly number: number;
  /** A text per file that was not uploaded. */
  readonly failures: readonly string[];
}

/** Uploads files that a person chooses or drops. It asks before it replaces files. */
export function Upload({ sessionId, userId, known }: UploadProps): ReactNode {
  const { progress, start, stop } = useUpload(sessionId, userId);
  const failed = useFailureNotice();
  const [asked, setAsked] = useState<readonly LocalFile[]>();
  const [isOver, setOver] = useState(false);
  const [files, folder] = [useId(), useId()];
  const ask = (chosen: readonly LocalFile[]) => {
    if (chosen.some(({ path }) => known.has(path))) setAsked(chosen);
    else start(chosen);
  };
  const input = { type: 'file', multiple: true, className: 'w-full', disabled: progress !== undefined } as const;
  const onChange = ({ currentTarget: field }: React.ChangeEvent<HTMLInputElement>) => {
    ask(chosenFiles(field.files ?? []));
    field.value = '';
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the fields do the same with the keyboard
    <div
      data-drop=""
      className={`rounded-md border border-dashed p-2 ${isOver ? 'border-ink bg-chosen' : 'border-line'}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (progress === undefined) void droppedFiles(event.dataTransfer).then(ask, failed);
      }}
    >
      <label htmlFor={files} className="text-xs text-muted">
        Upload files, or drop files and folders here
      </label>
      <input id={files} {...input} onChange={onChange} />
      <label htmlFor={folder} className="mt-1 block text-xs text-muted">
        A whole folder
      </label>
      <input id={folder} {...input} ref={(field) => field?.setAttribute('webkitdirectory', '')} onChange={onChange} />
      {progress && <ProgressView progress={progress} stop={stop} />}
      <Replace files={asked} known={known} close={() => setAsked(undefined)} start={start} />
    </div>
  );
}

function useUpload(sessionId: string, userId: string) {
  const client = useQueryClient();
  const notice = useNotice();
  const [progress, setProgress] = useState<Progress>();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const start = async (files: readonly LocalFile[]) => {
    if (files.length === 0) return;
    leaving.current = new AbortController();
    const onFile = (done: number, path: string) => setProgress({ done, all: files.length, path });
    const { signal } = leaving.current;
    const { number, failures } = await uploadFiles(files, { sessionId, userId, signal, onFile });
    setProgress(undefined);
    void client.invalidateQueries({ queryKey: ['files', sessionId] });
    if (number > 0) notice(`${numberOf(number)} uploaded.`);
    const [first] = failures;
    if (first !== undefined) notice(`${numberOf(failures.length)} not uploaded. ${first}`, true);
  };
  return {
    progress,
    start: (files: readonly LocalFile[]) => void start(files),
    stop: () => leaving.current?.abort(),
  };
}

function ProgressView({ progress, stop }: { readonly progress: Progress; readonly stop: () => void }): ReactNode {
  const { done, all, path } = progress;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      <progress aria-label="Progress" value={done} max={all} />
      <span>
        {count(done + 1)} of {count(all)}: <Text isCut value={path} limit={60} />
      </span>
      <button type="button" className="button" onClick={stop}>
        Stop
      </button>
    </div>
  );
}

interface ReplaceProps {
  readonly files: readonly LocalFile[] | undefined;
  readonly known: ReadonlySet<string>;
  readonly close: () => void;
  readonly start: (files: readonly LocalFile[]) => void;
}

function Replace({ files = [], known, close, start }: ReplaceProps): ReactNode {
  const present = files.filter(({ path }) => known.has(path));
  const rest = files.filter(({ path }) => !known.has(path));
  const choose = (chosen: readonly LocalFile[]) => {
    close();
    start(chosen);
  };
  return (
    <Dialog
      title={`Replace ${numberOf(present.length)}?`}
      description="The workspace has files with these names. Their contents are lost."
      isOpen={present.length > 0}
      setOpen={close}
    >
      <ul className="code">
        {present.slice(0, MAX_NAMES).map(({ path }) => (
          <li key={path}>
            <Text value={path} limit={200} />
          </li>
        ))}
        {present.length > MAX_NAMES && <li>and {count(present.length - MAX_NAMES)} more</li>}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <button type="button" className="button" onClick={() => choose(rest)}>
          {rest.length === 0 ? 'Keep them' : `Keep them, and upload ${numberOf(rest.length)}`}
        </button>
        <button type="button" className="button button-bad" onClick={() => choose(files)}>
          Replace
        </button>
      </div>
    </Dialog>
  );
}

function numberOf(files: number): string {
  return `${count(files)} ${files === 1 ? 'file' : 'files'}`;
}

/** Uploads files, one after another. A file that fails does not stop the next ones; the signal does. */
async function uploadFiles(
  files: readonly LocalFile[],
  { sessionId, userId, signal, onFile }: UploadOptions,
): Promise<Uploaded> {
  const failures: string[] = [];
  let number = 0;
  for (const [index, { path, file }] of files.entries()) {
    if (signal.aborted) break;
    onFile(index, path);
    try {
      // The server ends the connection of a larger body, which looks like a lost one.
      if (file.size > MAX_FILE_BYTES) throw tooLarge(file.size);
      const headers = { 'content-type': 'application/octet-stream' };
      await request(filePath(sessionId, path, userId), { method: 'PUT', body: file, headers, signal });
      number++;
    } catch (error) {
      const { code, message } = Problem.from(error);
      if (!signal.aborted) failures.push(`${path}: ${code}: ${message}`);
    }
  }
  return { number, failures };
}

function tooLarge(size: number): Problem {
  return new Problem(413, 'TOO_LARGE', `${bytes(size)} are over the limit of ${bytes(MAX_FILE_BYTES)} per file.`);
}
