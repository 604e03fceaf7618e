import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
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

/**
 * A dialog above the page. The focus returns to where it was. Escape closes the dialog, but not from an editor: there, it
 * closes the suggestions, and Tab leaves the editor.
 */
export function Dialog({ title, description, isOpen, setOpen, children, wide = false }: DialogProps): ReactNode {
  const opener = useRef<Element>(null);
  return (
    <Radix.Root open={isOpen} onOpenChange={setOpen}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            focusAgain(opener.current);
          }}
          onEscapeKeyDown={(event) => {
            if (event.target instanceof Element && event.target.closest('.cm-editor')) event.preventDefault();
          }}
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

/** Focuses an element; the content of the page if the element has gone. */
function focusAgain(element: Element | null): void {
  const target = element?.isConnected && element !== document.body ? element : document.getElementById('main');
  if (target instanceof HTMLElement) target.focus();
}
