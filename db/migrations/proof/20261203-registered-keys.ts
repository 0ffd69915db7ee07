import { Migration } from '@mikro-orm/migrations';

/**
 * Whoever may retire keys registers them, and the service the very first one: what it adds by itself later would be
 * published, and verify signatures that nobody here has made.
 */
export class RegisteredKeys extends Migration {
  override up(): void {
    this.addSql(`
      do $do$ begin
        execute format('
          create function refuse_unregistered_key() returns trigger language plpgsql
          set search_path = %I, pg_temp as $$
            begin
              if has_column_privilege(tg_relid, ''retired_at'', ''update'') or (
                not new.is_imported and new.retired_at is null
                and not exists (select from signing_key where not is_imported)
              ) then
                return new;
              end if;
              raise insufficient_privilege
                using message = ''an operator registers keys, the service only the first one'';
            end
          $$', current_schema());
      end $do$`);
    this.addSql(`
      create trigger signing_key_is_registered before insert on signing_key
        for each row execute function refuse_unregistered_key()`);
    // Otherwise a key of others becomes one of ours, or none of ours is left and the next one is the first again.
    this.addSql(`
      create trigger signing_key_stays_whose_it_is before update of is_imported on signing_key
        for each row when (new.is_imported is distinct from old.is_imported)
        execute function refuse_unregistered_key()`);
  }

  override down(): void {
    this.addSql(`drop trigger signing_key_stays_whose_it_is on signing_key`);
    this.addSql(`drop trigger signing_key_is_registered on signing_key`);
    this.addSql(`drop function refuse_unregistered_key()`);
  }
}
