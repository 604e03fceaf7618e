// The type of a task, and search queries that several tasks share.

/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} prompt The request of the user.
 * @property {true} [indirect] Whether no query has a word of the name of its tool.
 * @property {string} [attempt] For a job of one reading call: a program that searches and calls, with argument names guessed from
 *   the prompt.
 * @property {{query: string, finds: string[]}[]} search One query per required tool, in the words of the prompt. `finds` has
 *   the suitable tools; the plans call the first.
 * @property {(options: {compound: boolean}) => Generator<[string, object][], unknown, unknown[]>} direct Yields independent
 *   calls, receives their data and returns the value. `compound` allows tools that do several things at once.
 * @property {() => Generator<string, unknown, unknown>} programs Yields programs, receives their values, returns the value.
 * @property {{right: string, wrong: string}} mistake A mistake for the first program.
 * @property {(value: any) => string} formatAnswer Formats the final answer.
 * @property {(seed: object) => unknown} expected Computes the value from the seed.
 * @property {(seed: object) => void} [after] Changes the seed into the end state; absent if the state must not change.
 */

export const READ_FILE = {
  query: 'read a text file',
  finds: ['filesystem__read_text_file', 'filesystem__read_file', 'filesystem__read_multiple_files'],
};
/** The same tool, in words that it does not have. */
export const INSIDE = { query: 'show what a document says', finds: READ_FILE.finds };
export const LIST_FOLDER = {
  query: 'list the files of a folder',
  finds: ['filesystem__list_directory', 'filesystem__list_directory_with_sizes', 'filesystem__directory_tree'],
};
export const ONE_CUSTOMER = { query: 'look up a customer by id', finds: ['crm__get_customer'] };
export const ONE_TICKET = { query: 'look up a support ticket by its number', finds: ['tickets__get_ticket'] };

/** Creates a program from a single expression. */
export const program = (code) =>
  function* () {
    return yield code;
  };

/** Creates a call that reads a file. */
export const read = (path) => ['filesystem__read_text_file', { path }];
export const textOf = ({ content }) => content;
/** Yields the calls that read several files: one compound call, or one call per file. */
export function* readAll(paths, compound) {
  if (!compound) return (yield paths.map(read)).map(textOf);
  const [all] = yield [['filesystem__read_multiple_files', { paths }]];
  const texts = textOf(all).split(/\n---\n/);
  return texts.map((text, index) => text.slice(text.indexOf(`${paths[index]}:\n`) + paths[index].length + 2));
}
