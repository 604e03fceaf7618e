export function Skills() {
  return null;
}
