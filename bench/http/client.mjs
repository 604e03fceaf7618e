// A client that measures response times. It keeps connections alive and reads each response completely.
import { Agent, request } from 'node:http';

/** Creates a client of a server. `post` and `get` resolve to the status, the headers, the body and the milliseconds. */
export function client(url, connections = 600) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = (method, path, json, headers = {}) =>
    new Promise((resolve, reject) => {
      const body = json === undefined ? undefined : JSON.stringify(json);
      const started = performance.now();
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const asked = request(`${url}${path}`, { method, agent, headers: { ...type, ...length, ...headers } });
      asked.on('error', reject);
      asked.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          const ms = performance.now() - started;
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: isJson ? JSON.parse(text) : text,
            ms,
          });
        });
      });
      asked.end(body);
    });
  return {
    get: (path) => ask('GET', path),
    post: (path, json, headers) => ask('POST', path, json, headers),
    close: () => agent.destroy(),
  };
}
