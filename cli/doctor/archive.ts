import type { Database } from '#db';
import { compareSchema } from '../../gateway/schema.ts';
import type { Findings } from './finding.ts';

const mebibyte = 1024 * 1024;

/** Longer lists are seldom read to their end. */
const shownNames = 3;

/** Whether what has left the database could be read here. */
export async function checkArchive(database: Database, findings: Findings): Promise<void> {
  // What is to be said of an older schema, its own check says.
  if (compareSchema(await database.schemaState()) === 'not_migrated') return;
  const { folder, days, bytes, files, missing, problem } = await database.inspectArchive();
  if (days === 0) return findings.ok('no access records are archived');
  const archived = `access records of ${days} ${days === 1 ? 'day' : 'days'} are archived`;
  if (folder === null) {
    return findings.fail(
      `${archived}, and ARCHIVE_DIR does not say where`,
      'set ARCHIVE_DIR to the folder of their files',
    );
  }
  if (problem !== null) findings.fail(`${archived}: ${problem}`, 'install the package');
  if (missing.length > 0) {
    const more = missing.length - shownNames;
    const named = missing.slice(0, shownNames).join(', ');
    return findings.fail(
      `ARCHIVE_DIR ${folder} lacks ${missing.length} of ${files} files: ${named}${more > 0 ? ` and ${more} more` : ''}`,
      'mount the folder, or take the files from its backup',
    );
  }
  if (problem !== null) return;
  findings.ok(
    `${archived}, in ${(bytes / mebibyte).toFixed(1)} MiB; ${folder} has all their files`,
  );
}
