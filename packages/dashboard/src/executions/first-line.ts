/** Returns the first line of a program that is not a comment or an import; undefined for an empty one. */
export function firstLine(program: string): string | undefined {
  const line = program.split('\n').find((each) => each.trim() !== '' && !/^\s*(\/\/|#|import )/.test(each));
  return line?.trim() || program.trim() || undefined;
}
