export function SessionDetail() { return null; }
