// Ends child processes with this one, also after a signal.
const children = new Set();

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Notes a child process that ends with this one. Returns it. */
export function keepChild(child) {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
