import { isObject, type JsonObject } from '../json.ts';
import {
  BOOLEAN,
  choiceOf,
  invalid,
  listArgument,
  listOf,
  NUMBER,
  numberArgument,
  optionalText,
  STRING,
  shapeOf,
  type ToolSpec,
} from '../tool.ts';
import { type Instance, segment } from './instance.ts';
import { MAX_PAGE, pageOf } from './page.ts';

const DEFAULT_LIST = 50;
const CONDITIONS = ['eq', 'neq', 'like', 'ilike', 'gt', 'gte', 'lt', 'lte'];
const COLUMN = shapeOf({ name: STRING, type: choiceOf('string', 'number', 'boolean', 'date') });
const TABLE = shapeOf({ id: STRING, name: STRING, columns: listOf(COLUMN) });
const ROWS = listOf({ type: 'object' });
const WHERE = { type: 'object', description: '{column: value} or {column: {gte: value}}' };

/** Returns the tools for data tables. They are those of the key's user: n8n's API lists no others. */
export function dataTableTools(instance: () => Instance): Record<string, ToolSpec> {
  return {
    listDataTables: {
      description: 'Lists the data tables of the n8n instance, with their columns.',
      parameters: {},
      options: { limit: NUMBER, cursor: STRING },
      returns: shapeOf({ tables: listOf(TABLE), 'nextCursor?': STRING }),
      async run({ limit, cursor }, { signal }) {
        const query = { limit: numberArgument(limit, DEFAULT_LIST, MAX_PAGE), cursor: optionalText(cursor) };
        const { data, nextCursor } = pageOf(
          await instance().client.send({ path: '/data-tables', query, what: 'data tables', signal }),
        );
        return { tables: data.map(tableOf), nextCursor };
      },
    },
    createDataTable: {
      description: 'Creates a data table on the n8n instance.',
      parameters: { name: STRING, columns: listOf(COLUMN) },
      required: ['name', 'columns'],
      returns: TABLE,
      effect: 'write',
      async run({ name, columns }) {
        const { client, policyCheck } = instance();
        policyCheck.write('createDataTable');
        const body = { name: String(name), columns: listArgument(columns, 'columns') };
        return tableOf(
          await client.send({ method: 'POST', path: '/data-tables', body, what: `the data table ${name}` }),
        );
      },
    },
    getDataTableRows: {
      description: 'Reads rows of a data table, filtered by where: {column: value} or {column: {gte: value}}.',
      parameters: { table: STRING },
      required: ['table'],
      options: { where: WHERE, search: STRING, sortBy: STRING, limit: NUMBER, cursor: STRING },
      returns: shapeOf({ rows: ROWS, 'nextCursor?': STRING }),
      run: (args, { signal }) => readRows(instance(), args, signal),
    },
    addDataTableRows: {
      description:
        'Adds rows to a data table. With where, it changes the rows that match; with isUpsert, it adds one if none does.',
      parameters: { table: STRING, rows: ROWS },
      required: ['table', 'rows'],
      options: { where: WHERE, isUpsert: BOOLEAN },
      returns: shapeOf({ rows: ROWS }),
      effect: 'write',
      run: (args) => writeRows(instance(), args),
    },
    deleteDataTableRows: {
      description: 'Deletes the rows of a data table that match where, and returns them.',
      parameters: { table: STRING, where: WHERE },
      required: ['table', 'where'],
      returns: shapeOf({ rows: ROWS }),
      effect: 'delete',
      async run({ table, where }) {
        const filter = JSON.stringify(filterOf(where));
        const path = `${pathOf(table)}/rows/delete`;
        const what = `rows of data table ${table}`;
        const client = deletingClient(instance(), 'deleteDataTableRows', table);
        return rowsIn(await client.send({ method: 'DELETE', path, query: { filter, returnData: true }, what }));
      },
    },
    deleteDataTable: {
      description: 'Deletes a data table of the n8n instance, with all of its rows.',
      parameters: { table: STRING },
      required: ['table'],
      returns: shapeOf({ id: STRING, deleted: BOOLEAN }),
      effect: 'delete',
      async run({ table }) {
        const client = deletingClient(instance(), 'deleteDataTable', table);
        await client.send({ method: 'DELETE', path: pathOf(table), what: `data table ${table}` });
        return { id: String(table), deleted: true };
      },
    },
  };
}

/** Returns the client if the policy allows to delete in a data table. Raises `NOT_ALLOWED`. */
function deletingClient({ client, policyCheck }: Instance, tool: string, table: unknown): Instance['client'] {
  policyCheck.write(tool);
  policyCheck.action('delete', String(table), 'in data table');
  return client;
}

async function readRows(
  { client }: Instance,
  { table, where, search, sortBy, limit, cursor }: JsonObject,
  signal: AbortSignal | undefined,
): Promise<{ rows: JsonObject[]; nextCursor: string | undefined }> {
  const query = {
    limit: numberArgument(limit, DEFAULT_LIST, MAX_PAGE),
    cursor: optionalText(cursor),
    search: optionalText(search),
    sortBy: optionalText(sortBy),
    filter: where === undefined ? undefined : JSON.stringify(filterOf(where)),
  };
  const answer = await client.send({ path: `${pathOf(table)}/rows`, query, what: `data table ${table}`, signal });
  const { data, nextCursor } = pageOf(answer);
  return { rows: data, nextCursor };
}

async function writeRows(
  { client, policyCheck }: Instance,
  { table, rows, where, isUpsert }: JsonObject,
): Promise<{ rows: JsonObject[] }> {
  policyCheck.write('addDataTableRows');
  const data = listArgument(rows, 'rows').filter(isObject);
  const what = `rows of data table ${table}`;
  const path = `${pathOf(table)}/rows`;
  if (where === undefined) {
    const body = { data, returnType: 'all' };
    return rowsIn(await client.send({ method: 'POST', path, body, what }));
  }
  const [row] = data;
  if (data.length !== 1) throw invalid('With "where", "rows" has one row: the new values.');
  const body = { filter: filterOf(where), data: row, returnData: true };
  const request =
    isUpsert === true ? { method: 'POST', path: `${path}/upsert` } : { method: 'PATCH', path: `${path}/update` };
  return rowsIn(await client.send({ ...(request as { method: 'POST'; path: string }), body, what }));
}

/** Returns the filter of n8n's API for `{column: value}` and `{column: {gte: value}}`. Raises `INVALID_ARGUMENTS`. */
function filterOf(where: unknown): JsonObject {
  if (!isObject(where) || Object.keys(where).length === 0)
    throw invalid('"where" names at least one column: {name: "Ada"} or {age: {gte: 18}}.');
  const filters = Object.entries(where).flatMap(([columnName, wanted]) =>
    Object.entries(isObject(wanted) ? wanted : { eq: wanted }).map(([condition, value]) => {
      if (CONDITIONS.includes(condition)) return { columnName, condition, value };
      throw invalid(`"where" has no condition "${condition}". Use one of: ${CONDITIONS.join(', ')}.`);
    }),
  );
  return { type: 'and', filters };
}

function tableOf(table: unknown): JsonObject {
  const { id, name, columns } = isObject(table) ? table : {};
  const list = (Array.isArray(columns) ? columns : []).filter(isObject);
  return { id: String(id), name, columns: list.map((column) => ({ name: column.name, type: column.type })) };
}

function rowsIn(answer: unknown): { rows: JsonObject[] } {
  return { rows: (Array.isArray(answer) ? answer : []).filter(isObject) };
}

function pathOf(table: unknown): string {
  return `/data-tables/${segment(String(table))}`;
}
