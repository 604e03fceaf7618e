import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

/** A tab: its name in the URL, its label and its content. */
export interface Tab {
  readonly name: string;
  readonly label: ReactNode;
  readonly content: () => ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly tab: string;
  readonly setTab: (name: string) => void;
}

/** Tabs that fill the space of their parent. Only the chosen one is rendered. */
export function Tabs({ label, tabs, tab, setTab }: TabsProps): ReactNode {
  return (
    <Radix.Root value={tab} onValueChange={setTab} className="flex h-full min-h-0 flex-col">
      <Radix.List aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-2">
        {tabs.map(({ name, label }) => (
          <Radix.Trigger
            key={name}
            value={name}
            className="-mb-px min-h-9 shrink-0 cursor-pointer whitespace-nowrap border-b-2 border-transparent px-2 text-muted data-[state=active]:border-ink data-[state=active]:text-ink"
          >
            {label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ name, content }) => (
        <Radix.Content key={name} value={name} className="min-h-0 flex-1 overflow-auto p-3" tabIndex={0}>
          {name === tab && content()}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
