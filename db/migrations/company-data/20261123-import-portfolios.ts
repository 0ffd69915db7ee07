import { Migration } from '@mikro-orm/migrations';

/** Where the lines of an import wait that put companies into portfolios. */
export class ImportPortfolios extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table import_portfolio (
        import_id text not null,
        line bigint not null,
        file_line bigint not null,
        investor_id text not null,
        company_id text not null,
        primary key (import_id, line)
      )`);
    this.#defineAnalysis(', import_portfolio');
  }

  /** Replacing the function keeps whose it is and who may call it. */
  #defineAnalysis(more: string): void {
    this.addSql(`
      do $do$ begin
        execute format('
          create or replace function analyze_import() returns void language plpgsql
          security definer set search_path = %I, pg_temp set timezone = ''UTC'' as $$
            begin
              analyze import_company, import_metric, import_revision, import_source, import_account,
                import_signature${more};
            end
          $$', current_schema());
      end $do$`);
  }

  override down(): void {
    this.#defineAnalysis('');
    this.addSql(`drop table import_portfolio`);
  }
}
