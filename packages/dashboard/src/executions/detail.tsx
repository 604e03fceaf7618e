export function ExecutionDetail() { return null; }
