import { useEffect } from 'react';

/** Sets the title of the page while a screen is open. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Toolwright`;
  }, [title]);
}
