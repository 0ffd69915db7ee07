import { Migration } from '@mikro-orm/migrations';

/** What signatures are verified by stays as it was signed: the published keys, and which metric of whom a series is. */
export class ProofIsFinal extends Migration {
  override up(): void {
    this.addSql(`
      create function refuse_change_of_proof() returns trigger language plpgsql as $$
        begin
          raise exception '% keeps what signatures are verified by, and is not changed', tg_table_name
            using errcode = 'insufficient_privilege';
        end
      $$`);
    this.addSql(`
      create trigger signing_key_is_final before update on signing_key
        for each row when ((old.number, old.kid, old.public_key, old.created_at)
          is distinct from (new.number, new.kid, new.public_key, new.created_at))
        execute function refuse_change_of_proof()`);
    this.addSql(`
      create trigger signing_key_stays before delete or truncate on signing_key
        for each statement execute function refuse_change_of_proof()`);
    this.addSql(`
      create trigger metric_series_keeps_its_name before update on metric_series
        for each row when ((old.id, old.company_id, old.key)
          is distinct from (new.id, new.company_id, new.key))
        execute function refuse_change_of_proof()`);
    for (const trigger of ['signing_key_is_final', 'signing_key_stays']) {
      this.addSql(`alter table signing_key enable always trigger ${trigger}`);
    }
  }

  override down(): void {
    this.addSql(`drop trigger signing_key_is_final on signing_key`);
    this.addSql(`drop trigger signing_key_stays on signing_key`);
    this.addSql(`drop trigger metric_series_keeps_its_name on metric_series`);
    this.addSql(`drop function refuse_change_of_proof()`);
  }
}
