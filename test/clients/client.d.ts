/** One client of MCP servers, with the words and images that it would give to its model. */
export interface OpenClient {
  /** The names of the listed tools. */
  names(): Promise<string[]>;
  /** Calls a tool. Returns what the model reads: texts, and the media types of images. */
  call(name: string, args: Record<string, unknown>): Promise<{ text: string; images: string[] }>;
  close(): Promise<void>;
}

/** A server on stdio. */
export interface ServerCommand {
  command: string;
  args: string[];
  cwd: string;
}
