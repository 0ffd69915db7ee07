import { Migration } from '@mikro-orm/migrations';

/** A reader that has no event yet begins with the oldest of the feed, which is not the oldest of the table. */
export class BeginOfFeed extends Migration {
  override up(): void {
    this.addSql(`create index access_event_by_time on access_event (created_at)`);
  }

  override down(): void {
    this.addSql(`drop index access_event_by_time`);
  }
}
