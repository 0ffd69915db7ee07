import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { verifyMetric, verifyReceipts } from '../../verify/index.ts';
import { payloadOf } from '../support/receipt-chain.ts';
import { writeJson } from './other-json.ts';
import { blocksOf, createPythonVerifier, hasCryptography } from './page.ts';
import {
  camelMetric,
  receiptItem,
  receiptWithTerms,
  restMetric,
  samplePayload,
  sampleReceipts,
} from './samples.ts';
import {
  createKey,
  exampleKey,
  jwksOf,
  signHead,
  signMetric,
  signReceipt,
  signTexts,
} from './signing.ts';

/** Every method that the page describes checks its examples. */

const hasOpenssl = spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout?.startsWith(
  'OpenSSL 3',
);
if (!hasOpenssl) console.error('SKIPPED: the verification by openssl alone: no OpenSSL 3');

type Examples = [
  jwks: ReturnType<typeof jwksOf>,
  metric: ReturnType<typeof restMetric>,
  list: { data: { id: string; jws: string }[]; head: string },
];
let [jwks, metric, list] = [] as unknown as Examples;
let texts: string[];

beforeAll(async () => {
  [jwks, metric, list] = (await blocksOf('json')).map((block) => JSON.parse(block)) as Examples;
  texts = await blocksOf('text');
});

it('the key set in the page is that of RFC 8037, and the page’s metric and receipts are verified', async () => {
  expect(jwks).toEqual(jwksOf(exampleKey));
  expect(await verifyMetric(metric, { jwks })).toMatchObject({ valid: true, exact: true });
  expect(await verifyReceipts(list.data, { jwks, head: list.head })).toMatchObject({
    valid: true,
    complete: { state: 'complete', asOf: '2026-11-21T10:26:00.000Z' },
  });
});

it('the headers and payloads in the page are those of the signatures', () => {
  const [metricHeader = '', payload = '', receiptHeader = '', receipts = '', head = ''] = texts.map(
    (text) => text.trim(),
  );
  const [headHeader = '', headPayload = ''] = head.split('\n');
  expect(signTexts(headHeader, headPayload, exampleKey)).toBe(list.head);
  expect(signTexts(metricHeader, payload, exampleKey)).toBe(metric.verification.signature);
  expect(receipts.split('\n').map((text) => signTexts(receiptHeader, text, exampleKey))).toEqual(
    list.data.map(({ jws }) => jws),
  );
});

it('the command in the page verifies saved receipts without a database', async () => {
  const shown = (await blocksOf('sh')).find((block) => block.includes('receipts.json --jwks'));
  const [command = ''] = /(?<=npm run -s cli -- ).*$/m.exec(shown ?? '') ?? [];
  const page = await readFile(resolve('docs/verification.md'), 'utf8');
  const cwd = await mkdtemp(join(inject('dataFolder'), 'offline'));
  await writeFile(join(cwd, 'jwks.json'), JSON.stringify(jwks));
  await writeFile(join(cwd, 'receipts.json'), JSON.stringify(list));
  const { stdout, status } = spawnSync(
    process.execPath,
    [resolve('cli/main.ts'), ...command.split(' ')],
    { cwd, encoding: 'utf8', env: { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/none' } },
  );
  expect(page).toContain(`\`\`\`\n${stdout}\`\`\``);
  expect(status).toBe(0);
});

it('the code in the page verifies the metric with jose', async () => {
  const [code = ''] = await blocksOf('js');
  expect(
    code
      .trim()
      .split('\n')
      .filter((line) => !/^(import.*)?$/.test(line)),
  ).toHaveLength(4);
  const folder = await mkdtemp(join(inject('dataFolder'), 'jose'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const given = `const [jwks, metric] = ${JSON.stringify([jwks, metric])};`;
  await writeFile(
    join(folder, 'run.mjs'),
    `${given}\n${code}\nconsole.log(JSON.stringify(signed));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'run.mjs')], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toBe(texts[1]);
});

it.skipIf(!hasOpenssl)(
  'the commands in the page verify the metric with openssl, and refuse another payload',
  async () => {
    const code = (await blocksOf('sh')).at(-1) ?? '';
    const cwd = await mkdtemp(join(inject('dataFolder'), 'openssl'));
    const run = (signature: string) =>
      spawnSync('sh', ['-c', code], {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, JWS: signature, X: exampleKey.jwk.x },
      }).stdout;
    const { signature } = metric.verification;
    expect(`${run(signature)}\n`).toBe(texts.at(-1));
    const [head, , tail] = signature.split('.');
    const [, body] = signMetric({ ...samplePayload, raw_value: '1' }, exampleKey).split('.');
    expect(run(`${head}.${body}.${tail}`)).toContain('Signature Verification Failure');
  },
);

describe.skipIf(!hasCryptography)('the Python script in docs/verification.md', () => {
  let verify: Awaited<ReturnType<typeof createPythonVerifier>>;
  beforeAll(async () => {
    verify = await createPythonVerifier(jwks);
  });

  it('verifies the page’s examples', async () => {
    expect(await verify(JSON.stringify(metric))).toEqual({
      exitCode: 0,
      output: 'valid: co_harbor cash_balance 2026-10-31 7060809.1 USD\n1 valid, 0 failed\n',
    });
    const { exitCode, output } = await verify(JSON.stringify(list));
    expect(output).toContain(
      'valid: ar_01a1fda3dc4b72ed80a97324bc1dfb9b complete as of 2026-11-21T10:26:00.000Z\n',
    );
    expect(output).toContain('3 valid, 0 failed');
    expect(exitCode).toBe(0);
  });

  it('verifies a receipt with terms, and refuses the receipt under another version', async () => {
    const receipts = [sampleReceipts[0], receiptWithTerms].map((each) =>
      receiptItem(each, exampleKey),
    );
    const { output } = await verify(JSON.stringify({ data: receipts }));
    expect(output).toContain('2 valid, 0 failed');
    const jws = signReceipt({ ...receiptWithTerms, v: 2 }, exampleKey);
    expect((await verify(JSON.stringify({ receipt: { jws } }))).output).toContain(
      'another version',
    );
  });

  const payload = { ...samplePayload, raw_value: '1234567890123456789012345.123456789012' };
  const signature = signMetric(payload, exampleKey);
  const good = restMetric(payload, signature);
  const stranger = { ...createKey('x'), kid: exampleKey.kid };
  const [head, body, tail] = signature.split('.');

  it('accepts the same responses as the package, whichever JSON library wrote them', async () => {
    let turn = 0;
    const written = Array.from({ length: 50 }, () =>
      writeJson(good, (bound) => (turn++ * 7919) % bound),
    );
    const lines = [good, camelMetric(payload, signature)].map((each) => JSON.stringify(each));
    const answers = [...lines, ...written.map((text) => text.replaceAll(/\s/g, ' '))];
    for (const answer of answers) {
      expect(await verifyMetric(JSON.parse(answer), { jwks })).toMatchObject({ valid: true });
    }
    const { exitCode, output } = await verify(answers.join('\n'));
    expect(output).toContain('52 valid, 0 failed');
    expect(exitCode).toBe(0);
  });

  it('refuses the same responses as the package', async () => {
    const forged: [unknown, string][] = [
      [{ ...good, company_id: 'co_lumen' }, 'field_differs'],
      [{ ...good, companyId: 'co_lumen' }, 'field_differs'],
      [{ ...good, period: '2026-09-30' }, 'field_differs'],
      [{ ...good, currency: null }, 'field_differs'],
      [{ ...good, as_of: '2026-11-01T00:59:59.000+01:00' }, 'field_differs'],
      [{ ...good, raw_value: 1 }, 'field_differs'],
      [{ ...good, raw_value_text: `${payload.raw_value}0` }, 'field_differs'],
      [{ ...good, source: { ...good.source, system: 'Cafe\u0301 Bank' } }, 'field_differs'],
      [{ ...good, source: { ...good.source, last_synced: undefined } }, 'field_missing'],
      [{ ...good, key: undefined }, 'field_missing'],
      [{ ...good, verification: undefined }, 'not_signed'],
      [{ ...good, verification: { signed: false, signature } }, 'not_signed'],
      [restMetric(payload, `${head}.${body}.${tail}=`), 'malformed_jws'],
      [restMetric(payload, `${head}.${body}.AAAA`), 'malformed_jws'],
      [restMetric(payload, signMetric(payload, stranger)), 'bad_signature'],
      [restMetric(payload, signMetric(payload, createKey('y'))), 'unknown_key'],
      [restMetric(payload, signReceipt(payload, exampleKey)), 'wrong_type'],
      [restMetric(payload, signMetric({ ...payload, v: 2 }, exampleKey)), 'unsupported_version'],
    ];
    for (const [thing, reason] of forged) {
      expect(await verifyMetric(thing, { jwks })).toMatchObject({ valid: false, reason });
    }
    const { exitCode, output } = await verify(
      forged.map(([thing]) => JSON.stringify(thing)).join('\n'),
    );
    expect(output).toContain(`\n0 valid, ${forged.length} failed`);
    expect(exitCode).toBe(1);
  });

  it('agrees with the package if a receipt of a chain is lost or the order is changed', async () => {
    for (const data of [list.data.slice(1), list.data.toReversed()]) {
      expect(await verifyReceipts(data, { jwks })).toMatchObject({ reason: 'chain_broken' });
      const { exitCode, output } = await verify(JSON.stringify({ ...list, data }));
      expect(output).toContain('the chain is broken before it');
      expect(exitCode).toBe(1);
    }
  });

  it('agrees with the package on heads', async () => {
    const { head, data } = list;
    const stranger = signHead(payloadOf({ jws: head }), { ...createKey('x'), kid: exampleKey.kid });
    const earlier = signHead(
      { ...payloadOf({ jws: head }), receipts: 1, last_receipt_id: data[0]?.id },
      exampleKey,
    );
    const cases = [
      [data.slice(0, 1), head, 'the newest receipts are missing'],
      [data, stranger, 'InvalidSignature'],
      [data, data[1]?.jws, 'a signature of another kind'],
      [
        data,
        signHead({ ...payloadOf({ jws: head }), receipts: 1 }, exampleKey),
        'of other receipts',
      ],
      [data, earlier, 'receipts since then: 1, and more may exist'],
    ] as const;
    for (const [receipts, given, told] of cases) {
      const { output, exitCode } = await verify(JSON.stringify({ data: receipts, head: given }));
      expect(output).toContain(told);
      const { valid } = await verifyReceipts(receipts, { jwks, head: given });
      expect(exitCode).toBe(valid ? 0 : 1);
      expect(valid).toBe(given === earlier);
    }
  });

  it('finds no signature in an error response, and reports this in its last line', async () => {
    expect(await verify('{"error":{"code":"access_required"}}')).toEqual({
      exitCode: 1,
      output: '0 valid, 0 failed\n',
    });
  });
});
