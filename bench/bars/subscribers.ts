import { setTimeout as sleep } from 'node:timers/promises';
import { ofReaders } from '../data/sizes.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { readResidentSize } from '../resident-size.ts';
import { findFreePort } from '../servers.ts';
import { type Setting, withSetting, writeRequests } from '../setting.ts';
import { percentile } from '../statistics.ts';
import { readMetricsPage } from './metrics-page.ts';
import { openSubscribers, type Subscribers } from './subscribers/subscribers.ts';
import { openUseCases } from './use-cases.ts';

/**
 * Those who watch: how soon they see an approval that another process has made, while the service is under half of its
 * load; what they take of its memory; and what they cost those who read.
 */
const { numbers, isSmoke } = readOptions(
  { subscribers: 2_000, approvals: 300, perSecond: 20, seconds: 8, rounds: 3, connections: 64 },
  { subscribers: 60, approvals: 10, seconds: 2, rounds: 1, connections: 8 },
);
const { subscribers, approvals, perSecond, seconds, rounds, connections } = numbers;

await withSetting(ofReaders(isSmoke), async (setting) => {
  const metricsPort = await findFreePort();
  const service = await startProgram('ours', {
    ...setting,
    environment: { METRICS_PORT: String(metricsPort) },
  });
  const requestsFile = writeRequests(setting, 'metrics');
  const keys = setting.world.underLoad.map(({ key }) => key.secret);
  const load = (rate: number | null, length = seconds) =>
    runLoad({
      ...{ port: service.port, requestsFile, connections },
      ...{ rate, warmupSeconds: 1, seconds: length },
    });
  const open = () => openSubscribers(`http://127.0.0.1:${service.port}`, keys, subscribers);

  const most = (await load(null)).requestsPerSecond;
  const before = readResidentSize(service.pid);
  const watching = await open();
  const after = readResidentSize(service.pid);
  const latency = await watchApprovals(setting, watching, () =>
    load(most / 2, Math.ceil(approvals / perSecond)),
  );
  watching.leave();

  // Old and new in turns, because a machine is not always as fast.
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await untilNoneIsLeft(metricsPort);
    alone.push((await load(null)).requestsPerSecond);
    const idle = await open();
    beside.push((await load(null)).requestsPerSecond);
    idle.leave();
  }
  await untilNoneIsLeft(metricsPort);
  await service.stop();

  const share = sum(beside) / sum(alone);
  const result = {
    subscribers,
    mostPerSecond: Math.round(most),
    latency,
    mebibytes: { before, after, more: after - before },
    reads: { alone, beside, share },
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const isMet =
    latency.seen === latency.expected &&
    latency.p50 <= 1_000 &&
    latency.p99 <= 3_000 &&
    after - before <= 300 &&
    share >= 0.9;
  // A smoke run shows that the script works; its times tell nothing.
  if (isSmoke ? latency.seen !== latency.expected : !isMet) process.exitCode = 1;
});

/** From the call that approves, in this process, to the event that a subscriber of the service gets. */
async function watchApprovals(
  { databaseUrl, world }: Setting,
  watching: Subscribers,
  runInBackground: () => Promise<{ requestsPerSecond: number }>,
) {
  await using useCases = await openUseCases(databaseUrl);
  const { operatorUseCases, investorUseCases } = useCases;
  const pending: { id: string; investor: number }[] = [];
  for (let count = 0; count < approvals; count += 1) {
    const investor = count % world.underLoad.length;
    const { id: investorId, key } = world.underLoad[investor] as (typeof world.underLoad)[number];
    const company = await operatorUseCases.createCompany({ name: 'New', environment: 'live' });
    await operatorUseCases.addToPortfolio({ investorId, companyId: company.id });
    const call = { requestId: 'req_subscribers', protocol: 'rest' } as const;
    const admission = await investorUseCases.admitCaller(key.secret, 0, call);
    if ('refusal' in admission) throw admission.refusal;
    const { accessRequest } = await investorUseCases.requestAccess(admission.caller, {
      companyId: company.id,
      scopes: ['metrics:read'],
    });
    pending.push({ id: accessRequest.id, investor });
  }
  const begun = new Map<string, number>();
  const milliseconds: number[] = [];
  let expected = 0;
  watching.onApproved((id) => {
    const startedAt = begun.get(id);
    if (startedAt !== undefined) milliseconds.push(performance.now() - startedAt);
  });
  const loading = runInBackground();
  for (const { id, investor } of pending) {
    begun.set(id, performance.now());
    expected += watching.countOf(investor);
    await operatorUseCases.approveAccessRequest({ id });
    await sleep(1_000 / perSecond);
  }
  const { requestsPerSecond } = await loading;
  for (let waited = 0; milliseconds.length < expected && waited < 50; waited += 1) await sleep(100);
  const at = (part: number) => Math.round(percentile(milliseconds, part));
  return {
    readsPerSecond: Math.round(requestsPerSecond),
    expected,
    seen: milliseconds.length,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
  };
}

async function untilNoneIsLeft(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const left = (await readMetricsPage(port)).get('event_streams');
    if (left === 0) return;
    if (tries > 100) throw new Error(`${left} streams are left`);
    await sleep(100);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
