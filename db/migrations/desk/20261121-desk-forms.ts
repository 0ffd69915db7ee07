import { Migration } from '@mikro-orm/migrations';

/** The forms that work once, of those that were sent; they are forgotten with their session. */
export class DeskForms extends Migration {
  override up(): void {
    this.addSql(`
      create table desk_form (
        session_id text not null
          constraint desk_form_session references desk_session (id) on delete cascade,
        id text not null,
        primary key (session_id, id)
      )`);
  }

  override down(): void {
    this.addSql(`drop table desk_form`);
  }
}
