import { type Topic, topic } from '@toolwright/sandbox/internal';

/** The state of a server, for metrics. */
export interface ServerReport {
  readonly server: string;
  readonly state: string;
}

/** Requests the states of all servers; each catalog calls the function synchronously. */
export const serversAsked: Topic<(report: ServerReport) => void> = topic('toolwright.servers.asked');
