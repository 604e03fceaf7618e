import type { ReactNode } from 'react';

/** The look of an entry of the menu: an icon above its name on a phone, and left of it on a wide screen. */
export const MENU_ITEM =
  'relative flex min-h-11 flex-1 cursor-pointer flex-col items-center justify-center gap-0.5 rounded-md px-0.5 text-[0.65rem] text-muted no-underline hover:bg-sunken aria-[current=page]:font-semibold aria-[current=page]:text-ink md:min-h-8 md:flex-none md:flex-row md:justify-start md:gap-2 md:px-2 md:text-sm md:aria-[current=page]:bg-sunken';

/** The icon of an entry, from the path of its lines. */
export function MenuIcon({ path }: { readonly path: string }): ReactNode {
  return (
    <svg
      viewBox="0 0 20 20"
      width="18"
      height="18"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      aria-hidden="true"
    >
      <path d={path} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
