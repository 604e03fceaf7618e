/** Returns a listener that reports an error of the given one as a defect: it must not end the execution. */
export function safeListener<T>(
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
