import { parse } from 'csv-parse/sync';
import { CommandError } from '../output.ts';

const columns = ['id', 'name', 'contacts'] as const;

const isColumn = (name: string): name is (typeof columns)[number] =>
  columns.some((column) => column === name);

/** Each row is a company. A cell for contacts has entries separated by spaces: `address` or `address=role`. */
export function readCompanies(text: string, path: string): readonly object[] {
  const [head = ''] = text.split(/\r|\n/, 1);
  const delimiter = [';', '\t'].find((each) => head.includes(each)) ?? ',';
  let rows: readonly Readonly<Record<string, string>>[];
  try {
    rows = parse(text, {
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
      delimiter,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    throw new CommandError(
      `${path} isn't valid CSV: ${error instanceof Error ? error.message : error}`,
    );
  }
  return rows.map((row) => {
    const unknown = Object.keys(row).filter((name) => !isColumn(name));
    if (unknown.length > 0) {
      throw new CommandError(
        `${path} has unknown columns: ${unknown.join(', ')}; the columns are ${columns.join(', ')}`,
      );
    }
    const { id, name, contacts = '' } = row;
    return {
      ...(id && { id }),
      ...(name && { name }),
      contacts: contacts
        .split(/[\s;]+/)
        .filter((each) => each !== '')
        .map(readContact),
    };
  });
}

function readContact(text: string): object {
  const [email, role] = text.split('=');
  return { email, ...(role !== undefined && { role }) };
}
