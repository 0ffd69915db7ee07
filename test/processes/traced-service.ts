import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { quickest, settingsOf } from '../support/backends.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { openOperatorSide } from '../support/operator.ts';
import { type RunningService, startServiceProcess } from '../support/processes.ts';

const repository = join(import.meta.dirname, '../..');

export const callerSpanId = '00f067aa0ba902b7';

export function newTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: { traceparent: `00-${traceId}-${callerSpanId}-${flags}` } };
}

export interface Started {
  readonly service: RunningService;
  readonly client: HttpClient;
}

/** Data for several services that run one by one, and functions that read it. */
export async function openWorld(opened: AsyncDisposableStack) {
  const { storage, release } = await quickest.open();
  opened.defer(release);
  const settings = settingsOf(storage);
  const side = await openOperatorSide(settings);
  const { fixtures } = side;
  const investor = await fixtures.investor();
  const company = await fixtures.companyOf(investor, 'Harbor');
  const { key } = await fixtures.key(investor);
  const { key: companyKey } = await fixtures.companyKey((await fixtures.company()).id);
  await fixtures.grant({ key, company });
  await side.close();

  return {
    key,
    companyId: company.id,
    companyKey,

    /** Logs which OpenTelemetry modules the process loads. */
    async start(environment: Record<string, string> = {}): Promise<Started> {
      const hooks = join(repository, 'test/gateway/tracing/report-modules.mjs');
      const service = await startServiceProcess(
        { ...settings, WEBHOOK_ALLOW_PRIVATE: 'on', ...environment },
        [process.execPath, '--import', hooks, join(repository, 'gateway/main.ts')],
      );
      const client = createHttpClient(service.url);
      opened.defer(() => client.close());
      return { service, client };
    },

    read: ({ client }: Started, headers = {}) =>
      client.call('GET', `/v1/companies/${company.id}/metrics`, { key, headers }),
  };
}

export const requestLines = ({ service }: Started) =>
  service
    .output()
    .split('\n')
    // The last line may be incomplete.
    .slice(0, -1)
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
