import { Migration } from '@mikro-orm/migrations';

/** Counting the last mails to a contact must not read those that a flood has set aside. */
export class MailBound extends Migration {
  override up(): void {
    this.addSql(`
      create index mail_to_contact on mail (contact_id, created_at) where state <> 'failed'`);
  }

  override down(): void {
    this.addSql(`drop index mail_to_contact`);
  }
}
