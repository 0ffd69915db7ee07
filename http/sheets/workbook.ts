import { withFileTurn } from '../file-turns.ts';
import { runInThread } from '../make-in-thread.ts';
import type { WorkbookAnswer, WorkbookInput } from './parse-workbook.ts';
import type { FileRefusal } from './refusal.ts';
import { RefusedFile } from './refused-file.ts';
import type { Sheet, SheetRow } from './sheet.ts';

const threadLimits = { maxMilliseconds: 10_000, maxHeapMebibytes: 128 };

/**
 * Reads a sheet of a workbook in a separate thread. File owners take turns, so the work waits until it is the owner's
 * turn.
 *
 * @throws RefusedFile
 */
export async function readWorkbook(
  owner: string,
  { bytes, sheet, maxRows }: WorkbookInput,
): Promise<Sheet> {
  const rows: SheetRow[] = [];
  const handlePart = (part: WorkbookAnswer): boolean => {
    if (!('rows' in part)) return false;
    rows.push(...part.rows);
    return true;
  };
  const answer = await withFileTurn(owner, () =>
    runInThread<WorkbookAnswer>(
      './workbook-thread',
      import.meta,
      { bytes, sheet, maxRows } satisfies WorkbookInput,
      { ...threadLimits, handlePart },
    ).catch(() => ({ refused: 'large_workbook' as const })),
  );
  if ('refused' in answer) throw new RefusedFile(refusalOf(answer.refused, sheet, maxRows));
  const { name, names } = answer as Extract<WorkbookAnswer, { readonly name: string }>;
  const otherNames = names.filter((other) => other !== name);
  const ofText = { flaws: [], isSplit: false, encoding: null, encodingExample: null };
  return { rows, name, otherNames, ...ofText };
}

function refusalOf(
  code: Extract<WorkbookAnswer, { readonly refused: unknown }>['refused'],
  sheet: string | null,
  most: number,
): FileRefusal {
  if (code === 'no_sheet') return sheet === null ? { code: 'no_rows' } : { code, name: sheet };
  return code === 'too_many_rows' ? { code, most } : { code };
}
