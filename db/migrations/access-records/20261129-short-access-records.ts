import { Migration } from '@mikro-orm/migrations';

/** The columns that hold ids, with the prefix of each. */
const ids = {
  id: 'rec',
  request_id: 'req',
  key_id: 'key',
  investor_id: 'inv',
  company_id: 'co',
  grant_id: 'ar',
};

const others = [
  'occurred_at',
  'protocol',
  'scope',
  'resource',
  'metric_key',
  'outcome',
  'count',
] as const;

/**
 * The ids of access records take 17 bytes instead of 37: an id is a prefix and a UUID, and the column tells the prefix.
 * An id of another form is kept as its characters, behind a zero byte when they are sixteen, as a UUID has bytes. The
 * view shows the records with ids as text. All records are written anew, and cannot be read or written meanwhile.
 * The functions are not strict, so that PostgreSQL takes their expressions into the statements that call them.
 */
export class ShortAccessRecords extends Migration {
  override up(): void {
    this.addSql(`
      create function id_bytes(prefix text, id text) returns bytea
        language sql immutable parallel safe
        return case
          when id ~ ('^' || prefix || '_[0-9a-f]{32}$') then decode(right(id, 32), 'hex')
          when octet_length(id) = 16 then '\\x00'::bytea || convert_to(id, 'UTF8')
          else convert_to(id, 'UTF8')
        end`);
    // PostgreSQL holds that an encoding may change, and makes no index of an expression that decodes by one.
    this.addSql(`
      create function utf8_text(bytes bytea) returns text
        language sql immutable parallel safe return convert_from(bytes, 'UTF8')`);
    this.addSql(`
      create function id_text(prefix text, id bytea) returns text
        language sql immutable parallel safe
        return case octet_length(id)
          when 16 then prefix || '_' || encode(id, 'hex')
          else case strpos(encode(ltrim(id, '\\x00'::bytea), 'escape'), '\\')
            when 0 then encode(ltrim(id, '\\x00'::bytea), 'escape')
            else utf8_text(ltrim(id, '\\x00'::bytea))
          end
        end`);
    this.addSql(`drop index access_record_by_company, access_record_by_investor`);
    this.changeTypes((name, prefix) => `bytea using id_bytes('${prefix}', ${name})`);
    this.addSql(`
      create index access_record_by_company
        on access_record (hashtext(id_text('co', company_id)), occurred_at)`);
    this.addSql(`
      create index access_record_by_investor
        on access_record (hashtext(id_text('inv', investor_id)), hashtext(scope), occurred_at)`);
    const texts = Object.entries(ids).map(
      ([name, prefix]) => `id_text('${prefix}', ${name}) as ${name}`,
    );
    // The bytes are there to be compared with: PostgreSQL knows how many records have them.
    const bytes = ['company', 'investor'].map((name) => `${name}_id as ${name}_bytes`);
    this.addSql(`
      create view access_record_text as
        select ${[...texts, ...others, ...bytes].join(', ')} from access_record`);
  }

  override down(): void {
    this.addSql(`drop view access_record_text`);
    this.addSql(`drop index access_record_by_company, access_record_by_investor`);
    this.changeTypes((name, prefix) => `text using id_text('${prefix}', ${name})`);
    this.addSql(`
      create index access_record_by_company on access_record (hashtext(company_id), occurred_at)`);
    this.addSql(`
      create index access_record_by_investor
        on access_record (hashtext(investor_id), hashtext(scope), occurred_at)`);
    this.addSql(`drop function id_bytes(text, text), id_text(text, bytea), utf8_text(bytea)`);
  }

  private changeTypes(typeOf: (name: string, prefix: string) => string): void {
    const changes = Object.entries(ids).map(
      ([name, prefix]) => `alter column ${name} type ${typeOf(name, prefix)}`,
    );
    this.addSql(`alter table access_record ${changes.join(', ')}`);
  }
}
