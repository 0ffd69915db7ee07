import { Migration } from '@mikro-orm/migrations';

/** Public keys of those who sign values of a company before they come here. */
export class UpstreamSigners extends Migration {
  override up(): void {
    this.addSql(`
      create table upstream_signer (
        company_id text not null constraint upstream_signer_company references company (id),
        kid text not null,
        jwk jsonb not null
          constraint upstream_signer_is_public check (not jwk ?| array['d', 'k', 'p', 'q']),
        added_at timestamptz(3) not null,
        primary key (company_id, kid)
      )`);
  }

  override down(): void {
    this.addSql(`drop table upstream_signer`);
  }
}
