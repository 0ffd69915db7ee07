import type { Database, Inspection, RoleRights } from '#db';
import type { Config } from '../../gateway/config.ts';
import { describeRights, listOf, oneRole, returnIfRightsMissing } from '../../gateway/rights.ts';
import { compareSchema } from '../../gateway/schema.ts';
import { describeSessions } from '../../gateway/sessions.ts';
import type { Findings } from './finding.ts';

const supported = { from: 15, to: 18 };

const writeMilliseconds = 4_000;

export async function checkServer(
  database: Database,
  { workers, databaseConnections, databasePooler }: Config,
  findings: Findings,
): Promise<void> {
  const server = await database.inspect();
  checkVersion(server, findings);
  if (server.encoding !== 'UTF8') {
    findings.fail(
      `the database is encoded in ${server.encoding}`,
      'create a database with the encoding UTF8',
    );
  }
  if (!server.waitsForCommit) {
    findings.fail(
      'synchronous_commit is off: confirmed access records can be lost',
      'turn synchronous_commit on, for the role and the server',
    );
  }
  if (server.isReadOnly) {
    findings.fail('the database is read-only', 'name the primary server in DATABASE_URL');
  } else await checkWriting(database, findings);
  const needed = workers * databaseConnections;
  // A pooler opens its own connections, so the role's limit doesn't apply here.
  if (databasePooler === null && server.connectionLimit < needed) {
    findings.warn(
      `the role may open ${server.connectionLimit} connections, and this configuration takes up to ${needed}`,
      'raise max_connections or the limit of the role, or lower DATABASE_CONNECTIONS or WORKERS',
    );
  }
}

/** Skips an old schema, which `checkSchema` reports. */
async function checkWriting(database: Database, findings: Findings): Promise<void> {
  if (compareSchema(await database.schemaState()) === 'not_migrated') return;
  if (await database.tryWrite(writeMilliseconds)) return findings.ok('it can be written');
  findings.fail('the database answers, but writing fails', 'check its disk and its log');
}

function checkVersion({ version, majorVersion }: Inspection, findings: Findings): void {
  if (majorVersion < supported.from) {
    findings.fail(`PostgreSQL ${version} is too old`, `use ${supported.from} to ${supported.to}`);
  } else if (majorVersion > supported.to) {
    findings.warn(
      `PostgreSQL ${version} is newer than the versions tested with this release`,
      `use ${supported.from} to ${supported.to}, or test it well`,
    );
  } else findings.ok(`PostgreSQL ${version} answers`);
}

export async function checkSchema(
  database: Database,
  { migrateOnStart }: Config,
  findings: Findings,
): Promise<void> {
  const state = await database.schemaState();
  switch (compareSchema(state)) {
    case 'not_migrated': {
      const words = `the schema is older than this release: it lacks ${listOf(state.pending)}`;
      if (migrateOnStart) return findings.ok(`${words}; the next start brings it up to date`);
      return findings.fail(words, 'run as the owner of the schema: portfolio-access migrate');
    }
    case 'newer':
      return findings.fail(
        `the schema is newer than this release, which doesn’t know ${listOf(state.unknown)}`,
        'use the release that migrated it, or a later one',
      );
    case 'ok':
      findings.ok('the schema matches this release');
  }
  const { partitionsUntil } = await database.inspect();
  if (partitionsUntil === null) {
    findings.warn(
      'the access log has no partition for today: today’s records are in the default partition',
      'run as the owner of the schema: portfolio-access migrate',
    );
  } else findings.ok(`the access log has its partitions up to ${partitionsUntil}`);
}

export async function checkSessions(
  database: Database,
  config: Config,
  findings: Findings,
): Promise<void> {
  const problem = describeSessions(await database.findMissingSettings(), config);
  if (problem !== null) return findings.fail(problem.message, problem.advice);
  findings.ok(
    config.databasePooler !== null
      ? 'the sessions behind the pooler have the settings of the service'
      : 'sessions have the settings of the service',
  );
}

export async function checkRole(database: Database, findings: Findings): Promise<void> {
  // If tables are missing, each role lacks rights to them. The schema check already reports that.
  const schema = await database.schemaState().then(compareSchema, returnIfRightsMissing);
  if (schema === 'not_migrated') return;
  const lack = describeRights(await database.missingRights());
  if (lack !== null) findings.fail(lack.message, lack.advice);
  const kinds = database.isOneRole
    ? (['background'] as const)
    : (['service', 'background'] as const);
  let isOperator = false;
  for (const kind of kinds) {
    const rights = await database.compareRights(kind);
    if (await isOfOperator(rights, database)) {
      isOperator = true;
      findings.warn(
        `${rights.role} has the rights of the command line, which are too many for the service`,
        'run the service with the roles that portfolio-access roles creates',
      );
    } else describeSurplus(rights, findings);
  }
  if (database.isOneRole && !isOperator) findings.warn(oneRole.message, oneRole.advice);
}

async function isOfOperator(
  { isOwner, surplus }: RoleRights,
  database: Database,
): Promise<boolean> {
  if (isOwner || surplus.length === 0) return false;
  const operator = await database.compareRights('operator');
  return operator.missing.length === 0 && operator.surplus.length === 0;
}

function describeSurplus(
  { role, isOwner, missing, surplus }: RoleRights,
  findings: Findings,
): void {
  if (isOwner) {
    findings.warn(
      `${role} owns the schema: an attacker who controls the service can change the access records`,
      'run the service with roles that own nothing; portfolio-access roles prints the SQL',
    );
  } else if (surplus.length > 0) {
    findings.warn(
      `${role} has rights that the service doesn’t need: ${listOf(surplus)}`,
      'revoke them: run as the owner of the schema: portfolio-access roles --apply',
    );
  } else if (missing.length === 0) {
    findings.ok(`${role} has exactly the rights that the service needs`);
  }
}

/** In seconds. The service uses its own clock to expire grants, so a wrong clock is harmful. */
const skew = { noticeable: 1, harmful: 30 };

export async function checkClock(database: Database, findings: Findings): Promise<void> {
  const before = Date.now();
  const { now } = await database.inspect();
  const after = Date.now();
  // The server read its clock at some time between `before` and `after`.
  const apart = Math.max(0, before - now.getTime(), now.getTime() - after) / 1000;
  const words = `this machine's clock and the database's are ${apart.toFixed(1)} seconds apart`;
  const advice = 'synchronize both with a time server, with chrony or systemd-timesyncd';
  if (apart > skew.harmful) findings.fail(`${words}: grants end at the wrong time`, advice);
  else if (apart > skew.noticeable) findings.warn(words, advice);
  else findings.ok("this machine's clock and the database's agree");
}
