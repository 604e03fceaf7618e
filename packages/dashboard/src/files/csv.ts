/** Parses the first rows of a CSV text: comma, semicolon or tab, with quoted fields (RFC 4180). */
export function csvRows(text: string, limit: number): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  const endField = () => {
    row.push(field);
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  for (let index = 0; index < text.length && rows.length < limit; index += 1) {
    const character = text[index] ?? '';
    if (isQuoted && character === '"' && text[index + 1] === '"') {
      field += '"';
      index += 1;
    } else if (character === '"' && (isQuoted || field === '')) isQuoted = !isQuoted;
    else if (isQuoted) field += character;
    else if (character === separator) endField();
    else if (character === '\n') endRow();
    else if (character !== '\r') field += character;
  }
  if (rows.length < limit && (field !== '' || row.length > 0)) endRow();
  return rows;
}

function separatorOf(text: string): string {
  const line = text.slice(0, text.indexOf('\n') >>> 0);
  const [best = ','] = [',', ';', '\t'].sort((a, b) => line.split(b).length - line.split(a).length);
  return best;
}
