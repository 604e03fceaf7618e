export function ApprovalQueue() { return null; }
