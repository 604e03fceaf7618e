export function Servers() {
  return null;
}
