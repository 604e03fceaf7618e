/** The path below which the server is, with a slash at both ends. The server writes it into `<base href>`. */
export const BASE_PATH: string = new URL('.', document.baseURI).pathname;
