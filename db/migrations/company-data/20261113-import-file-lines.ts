import { Migration } from '@mikro-orm/migrations';

/**
 * A line of a file may say several things. `line` numbers what is staged, one after the other; `file_line` is where an
 * operator finds it. It may be null, so that an import of the version before goes on beside this change.
 */
export class ImportFileLines extends Migration {
  override up(): void {
    for (const type of ['company', 'metric', 'source', 'account']) {
      this.addSql(`alter table import_${type} add column file_line bigint`);
    }
  }

  override down(): void {
    for (const type of ['company', 'metric', 'source', 'account']) {
      this.addSql(`alter table import_${type} drop column file_line`);
    }
  }
}
