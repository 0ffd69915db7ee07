import * as xlsx from '@e965/xlsx';
import type { TestService } from '../../support/service.ts';
import { deskCookie, type Visitor } from '../desk.ts';

/**
 * Returns the rows of the first sheet by column, as the library SheetJS reads them.
 *
 * @param raw false to return each cell's text as a spreadsheet shows it
 */
export async function readWorkbook(
  service: TestService,
  { session }: Visitor,
  path: string,
  raw = true,
): Promise<Record<string, unknown>[]> {
  const headers = { cookie: `${deskCookie}=${session}` };
  const response = await fetch(service.url + path, { headers });
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { Sheets, SheetNames } = xlsx.read(bytes, { cellDates: true, UTC: true });
  return xlsx.utils.sheet_to_json(Sheets[SheetNames[0] ?? ''] ?? {}, { UTC: true, raw });
}
