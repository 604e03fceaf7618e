// The answer of `get_mcp_tool_details`: a text that has the parts of the definition as fields.

/**
 * The text of a definition with its parts. It prints, joins and serialises like the text alone.
 */
class ToolDetails extends String {
  /** @param {{ text: string } & Record<string, unknown>} answer */
  constructor({ text, ...fields }) {
    super(text);
    const { inputSchema: parameters } = fields;
    for (const [name, value] of Object.entries({ ...fields, parameters })) Object.defineProperty(this, name, { value });
  }
}

/**
 * Returns the details of the host's answer.
 * @param {{ text: string } & Record<string, unknown>} answer
 */
export function toolDetails(answer) {
  return new ToolDetails(answer);
}
