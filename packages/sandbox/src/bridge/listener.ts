/** Returns a listener that reports errors of the given listener as defects, so that they do not end the execution. */
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
