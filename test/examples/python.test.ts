import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { killLeftovers, startProcess } from '../support/processes.ts';
import { type Demo, startDemo } from './demo.ts';

const folder = resolve(import.meta.dirname, '../../examples/python');
/** Debian's Python comes first, because another Python in PATH may lack the needed packages. */
const python = ['/usr/bin/python3', 'python3'].find((each) => spawnSync(each, ['-V']).status === 0);
const has = (module: string) =>
  python !== undefined && spawnSync(python, ['-c', `import ${module}`]).status === 0;
const hasCryptography = has('cryptography');
const hasMatplotlib = has('matplotlib');
for (const [name, isThere] of Object.entries({
  python3: python !== undefined,
  cryptography: hasCryptography,
  matplotlib: hasMatplotlib,
})) {
  if (!isThere) console.error(`SKIPPED: a part of the example in Python: ${name} is not installed`);
}

describe.skipIf(python === undefined)('the example in Python', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(async () => {
    killLeftovers();
    await demo?.close();
  });

  const start = (url: string, script: string, ...parameters: string[]) =>
    startProcess({ KEY: demo.key, PORTFOLIO_ACCESS_URL: url, PYTHONDONTWRITEBYTECODE: '1' }, [
      python ?? '',
      join(folder, script),
      ...parameters,
    ]);
  const run = async (url: string, script: string, ...parameters: string[]) => {
    const running = start(url, script, ...parameters);
    const { code } = await running.exited;
    return { code, output: running.output() };
  };

  it('requests access, waits on the stream of events, reads and verifies', async () => {
    const running = start(demo.url, 'portfolio.py', 'co_juniper');
    await running.waitFor(/^asked co_juniper: pending/);
    await demo.decide('approve');
    expect((await running.exited).code).toBe(0);
    const output = running.output();
    expect(output).toContain('the company has answered: approved\n');
    expect(output).toMatch(/^Cash balance +€[\d,.]+ {2}\d{4}-\d{2}-\d{2}$/m);
    expect(output).toContain(
      hasCryptography ? '8 figures, each as it was signed\n' : '8 figures\n',
    );
    // The call returns all figures on one page, so the company's access log has one record.
    expect(output).toContain('reads of this company on record: 1\n');
  });

  it('reports the reason if it is refused', async () => {
    const { code, output } = await run(demo.url, 'portfolio.py', 'co_nobody');
    expect(code).toBe(1);
    expect(output).toMatch(/company_not_found: /);
  });

  it('reads all pages of a list', async () => {
    const program = `
import os, sys
sys.path.insert(0, ${JSON.stringify(folder)})
from client import Client
client = Client(os.environ["PORTFOLIO_ACCESS_URL"], os.environ["KEY"])
for _ in range(3): client.get("/v1/companies/co_harbor/metrics")
reads = list(client.items("/v1/access-records", company_id="co_harbor", limit=1))
print("pages:", len({read["id"] for read in reads}))`;
    const asked = spawnSync(python ?? '', ['-B', '-c', program], {
      env: { KEY: demo.key, PORTFOLIO_ACCESS_URL: demo.url },
      encoding: 'utf8',
    });
    expect(asked.stderr).toBe('');
    expect(Number(/pages: (\d+)/.exec(asked.stdout)?.[1])).toBeGreaterThanOrEqual(3);
  });

  it('retries only temporary failures, after the time in Retry-After', async () => {
    const asked: string[] = [];
    const busy = [429, 503];
    const server = createServer(async (request, response) => {
      const status = busy.shift();
      if (status !== undefined) {
        asked.push(`${status}`);
        const code = status === 429 ? 'rate_limit_exceeded' : 'service_unavailable';
        response.writeHead(status, { 'retry-after': '0' });
        response.end(JSON.stringify({ error: { code, message: 'Later.' } }));
        return;
      }
      asked.push(`${request.method} ${request.headers['idempotency-key'] !== undefined}`);
      response.writeHead(404);
      response.end(JSON.stringify({ error: { code: 'company_not_found', message: 'No.' } }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const { code, output } = await run(`http://127.0.0.1:${port}`, 'portfolio.py');
    server.close();
    expect(code).toBe(1);
    expect(output).toContain('company_not_found: No.');
    expect(asked).toEqual(['429', '503', 'POST true']);
  });

  it.skipIf(!hasCryptography)('rejects a metric that differs from its signature', async () => {
    const { data } = await demo.ask('GET', '/v1/companies/co_harbor/metrics');
    const jwks = await (await fetch(`${demo.url}/.well-known/jwks.json`)).json();
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(folder)})
from verify import read_keys, verify
metrics, jwks = json.load(sys.stdin)
for metric in metrics:
    try: print(verify(metric, read_keys(jwks))["raw_value"])
    except ValueError as error: print("refused:", error)`;
    const [metric] = data;
    const forged = [
      metric,
      { ...metric, raw_value_text: '1' },
      { ...metric, company_id: 'co_other' },
      { ...metric, source: { ...metric.source, system: 'Elsewhere' } },
      {
        ...metric,
        verification: { signature: `${metric.verification.signature.slice(0, -4)}AAAA` },
      },
      { ...metric, verification: {} },
    ];
    const { stdout } = spawnSync(python ?? '', ['-B', '-c', program], {
      input: JSON.stringify([forged, jwks]),
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toEqual([
      metric.raw_value_text,
      'refused: raw_value differs from the signed value',
      'refused: company_id differs from the signed value',
      'refused: source.system differs from the signed value',
      'refused: the signature does not fit',
      "refused: 'signature' is missing or unknown",
    ]);
  });

  it('writes a plot of burn and runway as PNG, or reports in one line which package is missing', async () => {
    const own = await mkdtemp(join(inject('dataFolder'), 'plot-'));
    // SAVE_PICTURES=1 takes the picture in the example's README again.
    const file = join(process.env.SAVE_PICTURES === undefined ? own : folder, 'burn.png');
    const { code, output } = await run(demo.url, 'plot.py', 'co_harbor', file);
    if (!hasMatplotlib) {
      expect({ code, output }).toEqual({
        code: 1,
        output: 'nothing is plotted: matplotlib is not installed (Debian: python3-matplotlib)\n',
      });
      return;
    }
    expect(output).toMatch(/burn\.png: \d+ months of Harbor Robotics\n$/);
    expect(code).toBe(0);
    const picture = await readFile(file);
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.length).toBeGreaterThan(10_000);
  });
});
