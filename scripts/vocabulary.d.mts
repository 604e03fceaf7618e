/** Writes the tokens of the tokenizer, and the module that reads them, to folders. `root` is the folder of the package. */
export function writeVocabulary(root: string, folders?: string[]): void;
