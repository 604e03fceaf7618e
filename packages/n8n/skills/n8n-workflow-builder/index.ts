import * as workflows from '/servers/n8n-workflows/index.js';

interface Step {
  type: string;
  name?: string;
  parameters?: Record<string, unknown>;
  credentials?: Record<string, { id: string; name: string }>;
}

interface Request {
  name: string;
  steps: Step[];
  connections?: unknown[];
  /** Creates the workflow on the instance when n8n would publish it. */
  create?: boolean;
}

interface Outcome {
  ready: boolean;
  nodes: string[];
  fixes: string[];
  /** Mistakes that n8n rejects or that fail at run time, each with its fix. */
  problems: string[];
  id?: string;
}

export default async function buildN8nWorkflow({
  name,
  steps,
  connections,
  create = false,
}: Request): Promise<Outcome> {
  const draft = await workflows.buildWorkflow(name, steps, connections === undefined ? {} : { connections });
  const { workflow, fixes, remaining } = await workflows.autofixWorkflow({ workflow: draft });
  const problems = [...remaining.errors, ...remaining.warnings].map(
    ({ node, message, fix }: { node?: string; message: string; fix: string }) =>
      `${node ?? 'workflow'}: ${message} ${fix}`,
  );
  const nodes = workflow.nodes.map((node: { name?: unknown }) => String(node.name));
  const outcome = { ready: remaining.valid, nodes, fixes, problems };
  if (!create || !remaining.valid) return outcome;
  const { id } = await workflows.createWorkflow({ workflow });
  return { ...outcome, id };
}
