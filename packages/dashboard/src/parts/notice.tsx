import { Toast } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { Problem } from '../api/problem.ts';
import { Text } from '../text/text.tsx';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

const NoticeContext = createContext<(text: string, isBad?: boolean) => void>(() => undefined);
const SHOWN_MS = 6_000;
/** An error has more to read, such as its fix. */
const SHOWN_ERROR_MS = 20_000;

/** Returns a function that shows a short message. */
export function useNotice(): (text: string, isBad?: boolean) => void {
  return useContext(NoticeContext);
}

/** Returns a function that shows an error of the API. */
export function useFailureNotice(): (thrown: unknown) => void {
  const notice = useNotice();
  return useCallback(
    (thrown) => {
      const { code, message } = Problem.from(thrown);
      notice(`${code}: ${message}`, true);
    },
    [notice],
  );
}

/** Shows short messages at the end of the page. */
export function Notices({ children }: { readonly children: ReactNode }): ReactNode {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const add = useCallback((text: string, isBad = false) => {
    setNotices((before) => [...before.slice(-3), { id: Math.random(), text, isBad }]);
  }, []);
  return (
    <NoticeContext value={add}>
      <Toast.Provider>
        {children}
        {notices.map(({ id, text, isBad }) => (
          <Toast.Root
            key={id}
            duration={isBad ? SHOWN_ERROR_MS : SHOWN_MS}
            onOpenChange={(isOpen) => {
              if (!isOpen) setNotices((before) => before.filter((each) => each.id !== id));
            }}
            className={`panel pointer-events-auto flex items-start gap-3 p-3 shadow-lg ${isBad ? 'border-bad' : ''}`}
          >
            <Toast.Description className="min-w-0 flex-1">
              <Text value={text} limit={400} />
            </Toast.Description>
            <Toast.Close aria-label="Close" className="min-h-6 min-w-6 cursor-pointer">
              ×
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed right-2 bottom-16 z-50 flex w-96 max-w-[calc(100vw-1rem)] flex-col gap-2 md:bottom-2" />
      </Toast.Provider>
    </NoticeContext>
  );
}
