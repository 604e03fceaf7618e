/** Returns the text as often as `times` says, one line each. */
export default async function repeat({ text, times = 2 }: { text: string; times?: number }): Promise<string> {
  const lines = await Promise.all(Array.from({ length: times }, () => servers.everything.echo({ message: text })));
  return lines.join('\n');
}
