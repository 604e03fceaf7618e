export function SessionList() { return null; }
