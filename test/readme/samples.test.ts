import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCodeSamples } from '../support/code-samples.ts';
import {
  type DemoService,
  hasCurl,
  printedUrl,
  repository,
  startDemoService,
} from './demo-service.ts';

/** The commands of these documents work with the demo that `npm start` runs. */
const demoDocuments = [
  // The first, because it approves a request without a version. The next document changes the request.
  'limit-access',
  'requesting-access',
  'consent',
  'reading-metrics',
  'pages-and-filters',
  'rate-limits',
  'idempotency',
  'keys',
  'company',
  'data',
  'graphql',
  'live-updates',
  'mcp',
  'sandbox',
];

/** Makes curl fail if the service returns an error. Streams don't end, so they are skipped. */
const strict = `
  set -e
  curl() {
    case "$*" in
      *text/event-stream*) ;;
      *) command curl --fail-with-body --silent "$@" ;;
    esac
  }
`;

describe.skipIf(!hasCurl)('the commands in the documents', () => {
  let service: DemoService;
  /** The real IDs and keys that replace the examples in the documents. */
  let examples: Record<string, string>;

  beforeAll(async () => {
    service = await startDemoService();
    const { environment, run } = service;
    const company = environment.COMPANY_KEY ?? '';
    const ask = async (key: string, path: string) =>
      JSON.parse(await run(`curl -s -H "Authorization: Bearer ${key}" ${printedUrl}${path}`));
    // An access request that both the investor and the company can see.
    const asked = (await ask('$KEY', '/v1/access-requests')).data as { id: string }[];
    const received = (await ask('$COMPANY_KEY', '/company/v1/access-requests')).data;
    const request = received.find(({ id }: { id: string }) => asked.some((own) => own.id === id));
    const [event] = (await ask('$COMPANY_KEY', '/company/v1/events')).data;
    const made = await run(
      'npm run -s cli -- company-key create --company co_harbor --scopes data:write --json',
    );
    environment.COMPANY_API = `${service.url}/company/v1`;
    environment.DATA_KEY = JSON.parse(made).secret;
    examples = { 'ar_…': request.id, 'evt_…': event.id, 'svc_ck_test_…': company };
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  it.each(demoDocuments)('succeed in docs/%s.md', async (name) => {
    const samples = await readCodeSamples(`docs/${name}.md`);
    const commands = samples.filter(({ language, mark }) => language === 'sh' && mark === null);
    expect(commands.length).toBeGreaterThan(0);
    for (const { code } of commands) {
      // The environment already contains the exported variables.
      let text = code.replaceAll(/^export .*\n/gm, '');
      for (const [example, value] of Object.entries(examples)) {
        text = text.replaceAll(example, value);
      }
      expect(text).not.toContain('…');
      await service.run(`${strict}\n${text}`);
    }
  });
});

describe('every code sample', () => {
  const documents = globSync(
    ['*.md', 'docs/*.md', '{bench,client,verify}/*.md', 'examples/*/README.md'],
    {
      cwd: repository,
    },
  );

  it.each(documents)('is run by a test or marked as not run in %s', async (document) => {
    for (const { language, code, mark } of await readCodeSamples(document)) {
      const test = mark?.match(/^Run by (\S+)$/)?.[1];
      if (test !== undefined) {
        expect(await readFile(join(repository, test), 'utf8'), test).toContain(document);
      } else if (mark === null) {
        const isTour =
          ['README.md', 'docs/quick-start.md'].includes(document) && language === 'console';
        const isOfDemo =
          language === 'sh' && demoDocuments.some((name) => document === `docs/${name}.md`);
        expect(isTour || isOfDemo, `${document}: ${code}`).toBe(true);
      } else expect(mark).toMatch(/^Not run: \S/);
    }
  });
});
