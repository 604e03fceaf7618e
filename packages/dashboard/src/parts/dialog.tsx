import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { visibleText } from '../text/visible.ts';

const MAX_DESCRIPTION = 2_000;

interface DialogProps {
  readonly title: string;
  readonly description?: string;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

/** A dialog above the page. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, description, isOpen, setOpen, children, wide = false }: DialogProps): ReactNode {
  return (
    <Radix.Root open={isOpen} onOpenChange={setOpen}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={`panel fixed inset-x-2 top-[6vh] z-50 mx-auto flex max-h-[88vh] flex-col gap-3 overflow-auto p-4 shadow-xl ${wide ? 'max-w-4xl' : 'max-w-lg'}`}
        >
          <Radix.Title className="text-base font-semibold">{visibleText(title)}</Radix.Title>
          {description !== undefined && (
            <Radix.Description className="text-muted">{visibleText(description, MAX_DESCRIPTION)}</Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
