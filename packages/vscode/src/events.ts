/** An event of a stream of server-sent events. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
  /** The id of the last event that has one. */
  readonly lastEventId: string;
}

/** More text than this without an end of an event is an error, in characters. */
const MAX_EVENT_LENGTH = 32_000_000;

/** Returns the events of a stream. Raises an error for an endless event. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  let rest = '';
  let lastEventId = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    if (rest.length > MAX_EVENT_LENGTH) throw new Error(`An event has more than ${MAX_EVENT_LENGTH} characters.`);
    for (const block of blocks) {
      const fields = fieldsOf(block);
      lastEventId = fields.get('id')?.at(-1) ?? lastEventId;
      const data = fields.get('data');
      if (data) yield { type: fields.get('event')?.at(-1) ?? 'message', data: data.join('\n'), lastEventId };
    }
  }
}

function fieldsOf(block: string): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return fields;
}
