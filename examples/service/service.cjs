// Requests access, waits for decisions, and reads every night. Verifies the values and stores them with their
// signatures.
// KEY=svc_sk_test_… node service.cjs co_lumen co_juniper
const { DatabaseSync } = require('node:sqlite');
const { setTimeout: pause } = require('node:timers/promises');
const { createPortfolioAccessClient, isPortfolioAccessError } = require('portfolio-access-client');
const { verifyMetric } = require('portfolio-access-verify');

const { PORTFOLIO_ACCESS_URL: url = 'http://127.0.0.1:3000', KEY, DATABASE } = process.env;
/** Set this variable to try the example. By default, the program reads at two o'clock at night. */
const { READ_EVERY_SECONDS } = process.env;
if (!KEY) {
  console.error('KEY must be set to the API key of an investor');
  process.exit(1);
}
const client = createPortfolioAccessClient({ url, apiKey: KEY });

const database = new DatabaseSync(DATABASE ?? 'figures.db');
database.exec(`CREATE TABLE IF NOT EXISTS figures (
  company_id TEXT, key TEXT, period TEXT, revision INTEGER, amount TEXT, currency TEXT, signature TEXT,
  PRIMARY KEY (company_id, key, period, revision)
)`);
const insert = database.prepare('INSERT OR IGNORE INTO figures VALUES (?, ?, ?, ?, ?, ?, ?)');

/** The decision may take days. */
async function gainAccess(companyId, signal) {
  const { outcome, accessRequest } = await client.accessRequests.create.mutate({
    companyId,
    scopes: ['metrics:read'],
    purpose: 'Figures of the quarterly review, read every night',
  });
  console.log(companyId, outcome === 'created' ? 'asked' : 'was asked before');
  const { status, reason } = await client.wait(accessRequest, { signal });
  console.log(companyId, status, reason ?? '');
  if (status === 'approved') await read(companyId);
}

async function read(companyId) {
  const metrics = await client.metrics.latest.query({ companyId });
  const answer = await fetch(new URL('/.well-known/jwks.json', url));
  const jwks = await answer.json();
  let stored = 0;
  for (const metric of metrics) {
    const verified = await verifyMetric(metric, { jwks });
    if (!verified.valid) {
      console.error(companyId, metric.key, 'IS NOT STORED:', verified.message);
      continue;
    }
    const { company_id, key, period, revision, raw_value, currency } = verified.payload;
    const signature = metric.verification.signed ? metric.verification.signature : null;
    const row = [company_id, key, period, revision, raw_value, currency, signature];
    stored += Number(insert.run(...row).changes);
  }
  console.log(companyId, `${metrics.length} read, ${stored} new`);
}

/** After an error of one company, the others are still read. */
const report = (companyId) => (error) => {
  if (!isPortfolioAccessError(error)) throw error;
  console.log(companyId, error.data.code);
};

/** In milliseconds. */
function untilNight() {
  const next = new Date();
  next.setHours(2, 0, 0, 0);
  if (next.getTime() <= Date.now()) next.setDate(next.getDate() + 1);
  return next.getTime() - Date.now();
}

async function readEveryNight(signal) {
  for (;;) {
    await pause(READ_EVERY_SECONDS ? Number(READ_EVERY_SECONDS) * 1_000 : untilNight(), null, {
      signal,
    });
    try {
      const companies = await client.companies.list.query({ access: 'approved' });
      for (const { id } of companies) await read(id).catch(report(id));
    } catch (error) {
      console.error('the rest of this night is skipped:', error);
    }
  }
}

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
const waits = process.argv.slice(2).map((id) => gainAccess(id, ending.signal).catch(report(id)));
Promise.all([...waits, readEveryNight(ending.signal)]).catch((error) => {
  if (!ending.signal.aborted) throw error;
});
