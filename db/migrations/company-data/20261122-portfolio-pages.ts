import { Migration } from '@mikro-orm/migrations';

const functions = ['portfolio_membership_takes_name', 'company_passes_name_on'];

/**
 * A portfolio is read in pages, in the order of an index, however many companies it has. For that each membership has
 * the name of its company. Both functions run as their owner, so whoever writes needs no right for what they write.
 */
export class PortfolioPages extends Migration {
  override up(): void {
    this.addSql(`
      alter table portfolio_membership
        add column company_name text collate "C" not null default ''`);
    this.addSql(`
      update portfolio_membership set company_name = company.name
        from company where company.id = company_id`);
    this.addSql(`
      create index portfolio_membership_by_name
        on portfolio_membership (investor_id, company_name, company_id collate "C")`);
    this.addSql(`
      create index portfolio_membership_by_age
        on portfolio_membership (investor_id, added_at, company_id collate "C")`);
    this.addSql(`
      create index portfolio_membership_of_company on portfolio_membership (company_id)`);
    // The lock waits for a change of the name that is not committed yet, and holds one up until the membership is.
    this.addSql(`
      create function portfolio_membership_takes_name() returns trigger
        language plpgsql security definer as $$
        begin
          select name into new.company_name from company where id = new.company_id for share;
          return new;
        end
      $$`);
    this.addSql(`
      create trigger portfolio_membership_takes_name before insert on portfolio_membership
        for each row execute function portfolio_membership_takes_name()`);
    this.addSql(`
      create function company_passes_name_on() returns trigger
        language plpgsql security definer as $$
        begin
          update portfolio_membership set company_name = new.name where company_id = new.id;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger company_passes_name_on after update of name on company
        for each row when (old.name is distinct from new.name)
        execute function company_passes_name_on()`);
    // Whoever restores or replicates brings the names along, so the triggers need not fire there.
    this.addSql(`
      do $do$
        declare name text;
        begin
          foreach name in array array['${functions.join(`', '`)}'] loop
            execute format('alter function %I() set search_path = %I, pg_temp', name, current_schema());
          end loop;
        end
      $do$`);
  }

  override down(): void {
    this.addSql(`drop trigger company_passes_name_on on company`);
    this.addSql(`drop trigger portfolio_membership_takes_name on portfolio_membership`);
    this.addSql(`drop function company_passes_name_on()`);
    this.addSql(`drop function portfolio_membership_takes_name()`);
    this.addSql(`drop index portfolio_membership_of_company`);
    this.addSql(`alter table portfolio_membership drop column company_name`);
    this.addSql(`drop index portfolio_membership_by_age`);
  }
}
