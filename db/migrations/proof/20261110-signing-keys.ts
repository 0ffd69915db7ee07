import { Migration } from '@mikro-orm/migrations';

/** The public halves of the keys that sign values and receipts. A private half is never in the database. */
export class SigningKeys extends Migration {
  override up(): void {
    // Whatever keeps a signature must refer to active_number, not to number: then the database itself refuses to retire
    // a key that something depends on, and to store what was signed with a retired key, without a race between the two.
    this.addSql(`
      create table signing_key (
        number smallint generated always as identity primary key,
        kid text not null constraint signing_key_once unique,
        public_key text not null,
        created_at timestamptz(3) not null,
        retired_at timestamptz(3),
        active_number smallint generated always as (case when retired_at is null then number end)
          stored constraint signing_key_active unique
      )`);
  }

  override down(): void {
    this.addSql(`drop table signing_key`);
  }
}
