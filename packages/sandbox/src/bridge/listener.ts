/** Returns a listener that reports an error of the given one as a defect: it must not end the execution. */
export function safeListener<T>(
  name: string,
  listener: ((event: T) => void) | undefined,
  onDefect: (id: string, error: unknown) => void,
): (event: T) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch (error) {
      onDefect(name, error);
    }
  };
}
