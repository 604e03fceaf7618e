/** Calls a listener of the caller's. What it throws is no fault of the guest, and must not end its execution. */
export function guarded<T>(
  name: string,
  listener: ((told: T) => void) | undefined,
  onDefect: (id: string, error: unknown) => void,
): (told: T) => void {
  return (told) => {
    try {
      listener?.(told);
    } catch (error) {
      onDefect(name, error);
    }
  };
}
