// What a task is, and the words that several of them search with.

/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} prompt What the user asks.
 * @property {{query: string, finds: string[]}[]} search One query for each tool that is needed, in the words of the prompt,
 *   and the tools that serve it, the one that the plans call first.
 * @property {(options: {compound: boolean}) => Generator<[string, object][], unknown, unknown[]>} direct Yields calls that can
 *   go out together, gets their data, returns the value. `compound`: may use a tool that does several things at once.
 * @property {() => Generator<string, unknown, unknown>} programs Yields programs, gets their values, returns the value.
 * @property {{right: string, wrong: string}} mistake What the first program may have got wrong.
 * @property {(value: any) => string} say The final answer.
 * @property {(seed: object) => unknown} expected The value, from the seed alone.
 * @property {(seed: object) => void} [after] Changes the seed into the end state; absent where nothing may change.
 */

export const READ_FILE = {
  query: 'read a text file',
  finds: ['filesystem__read_text_file', 'filesystem__read_file', 'filesystem__read_multiple_files'],
};
export const LIST_FOLDER = {
  query: 'list the files of a folder',
  finds: ['filesystem__list_directory', 'filesystem__list_directory_with_sizes', 'filesystem__directory_tree'],
};
export const ONE_CUSTOMER = { query: 'look up a customer by id', finds: ['crm__get_customer'] };
export const ONE_TICKET = { query: 'look up a support ticket by its number', finds: ['tickets__get_ticket'] };

/** A program that is a single expression. */
export const program = (code) =>
  function* () {
    return yield code;
  };

/** A call of the reading tool. */
export const read = (path) => ['filesystem__read_text_file', { path }];
export const textOf = ({ content }) => content;
/** What several files hold, by one compound call or by one call for each. */
export function* readAll(paths, compound) {
  if (!compound) return (yield paths.map(read)).map(textOf);
  const [all] = yield [['filesystem__read_multiple_files', { paths }]];
  const texts = textOf(all).split(/\n---\n/);
  return texts.map((text, index) => text.slice(text.indexOf(`${paths[index]}:\n`) + paths[index].length + 2));
}
