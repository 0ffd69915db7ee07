import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { mappingSchemaWith } from '../import/csv/mapping.ts';
import { parseDocument, readText } from '../import/input.ts';

/** A mapping for one company's CSV files. It adds the company ID, so the files need no column for that. */
export interface CompanyMapping {
  /** The mapping as the user wrote it. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly companyIds: readonly unknown[];
}

const schema = mappingSchemaWith(['company_id']);

/**
 * @param source the path of a file, or the mapping itself
 * @param baseFile the folder of this file is the base of relative paths
 * @throws CommandError that lists all problems
 */
export async function readCompanyMapping(
  source: string | Readonly<Record<string, unknown>>,
  baseFile: string | undefined,
): Promise<CompanyMapping> {
  const path = typeof source === 'string' ? resolve(dirname(baseFile ?? '.'), source) : null;
  const text = path === null ? JSON.stringify(source) : await readText(path);
  const { records } = parseDocument(text, `the mapping ${path ?? 'of the onboarding'}`, schema);
  return {
    document: JSON.parse(text.replace(/^\ufeff/, '')),
    companyIds: records.flatMap(({ fields }) => fields.company_id?.value ?? []),
  };
}

export function addCompanyId({ document }: CompanyMapping, companyId: string): object {
  const fields = { company_id: { value: companyId }, ...Object(document.fields) };
  return { ...document, fields };
}

/** Returns null if the file doesn't exist. */
export async function readExisting(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

export const textOf = (mapping: object): string => `${JSON.stringify(mapping, null, 2)}\n`;

/** Throws if the file already exists. */
export const writeMapping = (path: string, mapping: object): Promise<void> =>
  writeFile(path, textOf(mapping), { flag: 'wx' });
