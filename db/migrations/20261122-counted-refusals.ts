import { Migration } from '@mikro-orm/migrations';

/** One record may stand for several refusals of one request that are alike. */
export class CountedRefusals extends Migration {
  override up(): void {
    // Whoever reads the log for long must not keep all who add to it waiting behind this.
    this.addSql(`set local lock_timeout = '5s'`);
    this.addSql(`alter table access_record add column count integer not null default 1`);
    // Every row that is there has the default; looking at each would keep all who add to the log waiting.
    this.addSql(`
      alter table access_record add constraint access_record_counts_refusals
        check (count = 1 or (count > 1 and grant_id is null)) not valid`);
  }

  override down(): void {
    this.addSql(`set local lock_timeout = '5s'`);
    this.addSql(`
      do $$ begin
        if exists (select from access_record where count > 1) then
          raise exception 'there are records of several refusals at once; drop them by month first';
        end if;
      end $$`);
    this.addSql(`alter table access_record drop column count`);
  }
}
