import { Migration } from '@mikro-orm/migrations';
import { versionedChanges, versionFunction } from './company-data/20261102-company-data.ts';

const functions = [
  ...versionedChanges.map(({ name }) => name),
  'keep_metric_revision',
  'append_consent_receipt',
];

/** A process of the server itself, as it applies what another one has sent; its row may show no more than that it is there. */
const unlessReplicated = `
  if current_setting('session_replication_role') = 'replica' and not exists (
    select from pg_stat_activity
    where pid = pg_backend_pid() and backend_type = 'client backend'
  ) then
    return null;
  end if;`;

/**
 * Lets a subscriber of PostgreSQL's logical replication take the tables as they are. It gets the versions of data like any
 * other rows, so its triggers must not make versions of their own; and functions that triggers call know their schema,
 * because replication and pg_restore have no search path.
 */
export class LogicalReplication extends Migration {
  override up(): void {
    for (const change of versionedChanges) this.addSql(versionFunction(change, unlessReplicated));
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
    for (const name of functions) this.addSql(`alter function ${name}() reset search_path`);
    for (const change of versionedChanges) this.addSql(versionFunction(change));
  }
}
