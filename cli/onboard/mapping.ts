import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { mappingSchemaWith } from '../import/csv/mapping.ts';
import { parseDocument, readText } from '../import/input.ts';

/** A mapping of the company's CSV files, which need not name the company. */
export interface CompanyMapping {
  /** As it was given, with its `fields`. */
  readonly document: Readonly<Record<string, unknown>>;
  /** The companies that it names itself. */
  readonly companyIds: readonly unknown[];
}

const schema = mappingSchemaWith(['company_id']);

/**
 * @param given a file, or the mapping itself
 * @param beside the file that names it, for a path that is relative to it
 * @throws CommandError that names everything that is wrong with it
 */
export async function readCompanyMapping(
  given: string | Readonly<Record<string, unknown>>,
  beside: string | undefined,
): Promise<CompanyMapping> {
  const path = typeof given === 'string' ? resolve(dirname(beside ?? '.'), given) : null;
  const text = path === null ? JSON.stringify(given) : await readText(path);
  const { records } = parseDocument(text, `the mapping ${path ?? 'of the onboarding'}`, schema);
  return {
    document: JSON.parse(text.replace(/^\ufeff/, '')),
    companyIds: records.flatMap(({ fields }) => fields.company_id?.value ?? []),
  };
}

/** The mapping for the imports of a company. */
export function ofCompany({ document }: CompanyMapping, companyId: string): object {
  const fields = { company_id: { value: companyId }, ...Object(document.fields) };
  return { ...document, fields };
}

/** What a file that is to be written holds already; null: there is none. */
export async function readExisting(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

export const textOf = (mapping: object): string => `${JSON.stringify(mapping, null, 2)}\n`;

/** Never over a file that is there. */
export const writeMapping = (path: string, mapping: object): Promise<void> =>
  writeFile(path, textOf(mapping), { flag: 'wx' });
