import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../cli/harness.ts';
import { parseSamples, type Sample } from '../gateway/metrics/samples.ts';
import { createMigratedDataDir } from '../support/databases.ts';
import type { Json } from '../support/http-client.ts';
import { startServiceProcess } from '../support/processes.ts';
import { findFreePort } from '../support/redis.ts';

const repository = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(repository, path), 'utf8');

const page = await read('docs/operations.md');
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
const { groups } = parse(await read('deploy/alerts.yaml'));
const rules: Json[] = groups.flatMap((group: Json) => group.rules);
const dashboard: Json = JSON.parse(await read('deploy/grafana-dashboard.json'));
const panels: Json[] = dashboard.panels.filter(({ type }: Json) => type !== 'row');

const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }: Json) => expr)),
  ...dashboard.templating.list.flatMap(({ definition }: Json) => definition ?? []),
] as string[];

const documented = new Map(
  [...section('Metrics').matchAll(/^\| `(\w+)` \| (.*?) ?\| /gm)].map(
    ([, name = '', labels = '']) => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    ],
  ),
);

/** A histogram has several series, whose names end with a suffix. */
const metricOf = (series: string) => series.replace(/_(bucket|sum|count)$/, '');

describe('the metrics of the service', () => {
  let samples: readonly Sample[];
  let types: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const dataDir = await createMigratedDataDir();
    const metricsPort = await findFreePort();
    const service = await startServiceProcess({
      DATA_DIR: dataDir.path,
      DEMO: 'on',
      METRICS_PORT: String(metricsPort),
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'access@example.com',
    });
    const key = (await service.waitFor(/^ +svc_sk_test_\w+$/)).trim();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const query = '{ companies { nodes { metrics { __typename } } } }';
    const body = JSON.stringify([{ query }, { query }]);
    await fetch(`${service.url}/v1/companies/co_harbor/metrics`, { headers });
    await fetch(`${service.url}/graphql`, { method: 'POST', headers, body });
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    samples = parseSamples(text);
    types = new Map(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    );
    await service.stop();
    await dataDir.remove();
  });

  /** Prometheus itself creates the series `up`. */
  const exists = (series: string) =>
    series === 'up' || types.has(series) || types.has(metricOf(series));

  test('match the list in docs/operations.md, including labels', () => {
    const own = [...types.keys()].filter((name) => !/^(nodejs|process)_/.test(name));
    expect(own.toSorted()).toEqual([...documented.keys()].toSorted());
    for (const { name, labels } of samples) {
      const known = documented.get(metricOf(name));
      if (known)
        expect(
          Object.keys(labels).filter((label) => label !== 'le'),
          name,
        ).toEqual(known);
    }
  });

  test('include all metrics that the alerts and the dashboard use', () => {
    for (const expression of expressions) {
      const selectors = [...expression.matchAll(/(\w+)\{([^}]*)\}/g)];
      for (const [, series = '', matchers = ''] of selectors) {
        expect(exists(series), `${series} in ${expression}`).toBe(true);
        const labels = [...matchers.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label);
        const known = ['job', 'instance', ...(documented.get(metricOf(series)) ?? [])];
        expect(known, expression).toEqual(expect.arrayContaining(labels));
      }
      // Each query contains the name of the job, but the service doesn't set this label.
      const bare = expression
        .replaceAll(/\{[^}]*\}/g, '{}')
        .match(/\b[a-z]+(_[a-z0-9]+)+\b(?!\{)/g);
      const isWord = (word: string) => /^(histogram_quantile|label_values)$/.test(word);
      const names = (bare ?? []).filter((word) => !isWord(word) && !documented.has(word));
      expect(names, expression).toEqual([]);
    }
  });
});

describe('the alerts', () => {
  test('each have a section in the runbook', () => {
    const runbook = section('Runbook');
    expect([...runbook.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)).toEqual(
      rules.map(({ alert }) => alert),
    );
    for (const text of runbook.split(/^### /m).slice(1)) {
      expect(text).toContain('- **Means**: ');
      expect(text).toMatch(/^- \*\*(Look|Do)\*\*/m);
    }
  });

  test('each have an urgency, and select only the service’s job', () => {
    for (const { alert, expr, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info'], alert).toContain(labels.severity);
      expect(annotations.summary, alert).not.toBe('');
      expect(
        expr.match(/\{[^}]*\}/g).every((one: string) => one.includes('job="portfolio-access"')),
      ).toBe(true);
    }
  });

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  if (!hasPromtool) console.warn('SKIPPED: promtool is not installed, so the alerts are not tried');

  test.skipIf(!hasPromtool)('are valid rules for Prometheus and fire when they should', () => {
    const check = spawnSync('promtool', ['check', 'rules', 'deploy/alerts.yaml'], {
      cwd: repository,
    });
    expect(String(check.stdout)).toContain(`SUCCESS: ${rules.length} rules found`);
    const tried = spawnSync('promtool', ['test', 'rules', 'alerts.test.yaml'], {
      cwd: import.meta.dirname,
    });
    expect(tried.status, `${tried.stdout}${tried.stderr}`).toBe(0);
  });
});

describe('the dashboard', () => {
  test('reads its data from the Prometheus that the user selects', () => {
    const uid = `\${${dashboard.templating.list[0].name}}`;
    expect(dashboard.templating.list[0]).toMatchObject({ type: 'datasource', query: 'prometheus' });
    for (const panel of panels) {
      expect(panel.datasource).toEqual({ type: 'prometheus', uid });
      for (const target of panel.targets) expect(target.datasource).toEqual(panel.datasource);
    }
  });
});

test('the commands in docs/operations.md exist', async () => {
  const told = [...page.matchAll(/portfolio-access ((?:[a-z][\w-]*)(?: [a-z][\w-]*)?)/g)];
  const commands = new Set(told.map(([, words = '']) => words));
  expect(commands.size).toBeGreaterThan(5);
  for (const command of commands) {
    const { stdout } = await runCommand([...command.split(' '), '--help']);
    expect(stdout, command).toMatch(new RegExp(`^Usage: portfolio-access ${command}\\b`));
  }
});
