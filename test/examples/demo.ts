import { createMigratedDataDir } from '../support/databases.ts';
import type { Json } from '../support/http-client.ts';
import { startServiceProcess } from '../support/processes.ts';

/** The service as `npm start` runs it, with the keys that it prints. */
export interface Demo {
  readonly url: string;
  readonly key: string;
  readonly pendingRequest: string;
  /** Decides on the pending access request as the company. */
  decide(decision: 'approve' | 'decline' | 'revoke', body?: object): Promise<void>;
  /** Sends an HTTP request as the investor. */
  ask(method: string, path: string, body?: object): Promise<Json>;
  close(): Promise<void>;
}

export async function startDemo(environment: Record<string, string> = {}): Promise<Demo> {
  const dataDir = await createMigratedDataDir();
  const settings = { DEMO: 'on', DATA_DIR: dataDir.path, ...environment };
  const service = await startServiceProcess(settings);
  await service.waitFor(/^The documentation:/);
  const find = (pattern: RegExp) => pattern.exec(service.output())?.[1] ?? '';
  const key = find(/^ +(svc_sk_test_\w+)$/m);
  const companyKey = find(/^ +(svc_ck_test_\w+)$/m);
  const pendingRequest = find(/(ar_\w+)\/approve$/m);
  const call = async (method: string, path: string, credential: string, body?: object) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
    });
    const answer: Json = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    url: service.url,
    key,
    pendingRequest,
    async decide(decision, body) {
      const path = `/company/v1/access-requests/${pendingRequest}/${decision}`;
      await call('POST', path, companyKey, body);
    },
    ask: (method, path, body) => call(method, path, key, body),
    async close() {
      await service.stop();
      await dataDir.remove();
    },
  };
}
