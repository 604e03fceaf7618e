const LEVELS: ReadonlyMap<unknown, string> = new Map([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warning'],
  [50, 'error'],
]);
/** Fields that every line has, or that only programs need. */
const HIDDEN: ReadonlySet<string> = new Set(['level', 'time', 'name', 'pid', 'hostname', 'msg', 'err']);

/** Returns a JSON line of the log as one line for a person: time, level, message, fields, and the first line of an error. */
export function terminalLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line);
  const [reason] = typeof err?.message === 'string' ? err.message.split(/\n|\\n/) : [];
  const shown = Object.entries(fields).filter(([key]) => !HIDDEN.has(key));
  const parts = [
    new Date(time).toTimeString().slice(0, 8),
    LEVELS.get(level) ?? String(level),
    reason === undefined ? msg : `${msg}: ${reason}`,
    ...shown.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  ];
  return `${parts.join('  ').replaceAll('\n', ' ')}\n`;
}
