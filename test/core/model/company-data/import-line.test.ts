import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type LineRecord, parseDecimal, parseImportLine, reasonOf as reasonsOf } from '#core';
import { notPlain } from '../../../../core/model/text.ts';
import { nodeCryptography } from '../../../memory/cryptography.ts';
import { metricLine, sourceLine } from '../../builders.ts';

const synced = '2026-11-01T04:00:00Z';

const company = { type: 'company', id: 'co_harbor', name: 'Harbor', environment: 'live' };
const metric = metricLine('co_harbor', {
  ...{ key: 'cash_balance', raw_value: 1250.5 },
  source: { system: 'mercury', method: 'api', last_synced: synced },
});
const source = sourceLine('co_harbor', { provider: 'mercury', account_name: 'Operating account' });
const account = {
  type: 'account',
  company_id: 'co_harbor',
  provider: 'mercury',
  name: 'Operating account',
  account_type: 'bank',
  currency: 'USD',
  raw_balance: -1200,
  last_synced_at: synced,
};

function read(line: unknown): LineRecord {
  const text = typeof line === 'string' ? line : JSON.stringify(line);
  const parsed = parseImportLine(text, nodeCryptography);
  if (!parsed.ok) throw new Error(reasonsOf(parsed.problems));
  return parsed.record;
}

function reasonOf(line: unknown): string {
  const text = typeof line === 'string' ? line : JSON.stringify(line);
  const parsed = parseImportLine(text, nodeCryptography);
  if (parsed.ok) throw new Error('the line was accepted');
  return reasonsOf(parsed.problems);
}

function readMetric(changes: object = {}) {
  const record = read({ ...metric, ...changes });
  if (record.type !== 'metric') throw new Error(`a ${record.type}`);
  return record.metric;
}

function readAccount(changes: object = {}) {
  const record = read({ ...account, ...changes });
  if (record.type !== 'account') throw new Error(`an ${record.type}`);
  return record.account;
}

describe('an import line', () => {
  test('can be parsed as a company', () => {
    expect(read(company)).toEqual({
      type: 'company',
      company: { id: 'co_harbor', name: 'Harbor', environment: 'live' },
    });
  });

  test('can be parsed as a metric, with all fields of the line', () => {
    const full = {
      ...metric,
      label: 'Cash at bank',
      currency: 'EUR',
      verification: { verified: true },
      confidence: 'high',
      value: '€1.3k',
      category: 'liquidity',
      as_of: '2026-10-31T23:59:59.123+02:00',
    };
    expect(read(full)).toStrictEqual({
      type: 'metric',
      metric: {
        companyId: 'co_harbor',
        key: 'cash_balance',
        label: 'Cash at bank',
        currency: 'EUR',
        period: '2026-10-31',
        source: { system: 'mercury', method: 'api', lastSynced: new Date(synced) },
        verification: { verified: true, signed: false },
        confidence: 'high',
        value: '€1.3k',
        rawValue: '1250.5',
        category: 'liquidity',
        asOf: new Date('2026-10-31T21:59:59.123Z'),
      },
    });
  });

  test('can be parsed as a company in an investor’s portfolio', () => {
    const portfolio = { type: 'portfolio', investor_id: 'inv_1', company_id: 'co_harbor' };
    expect(read(portfolio)).toEqual({
      type: 'portfolio',
      membership: { investorId: 'inv_1', companyId: 'co_harbor' },
    });
  });

  test('can have right-to-left letters and direction marks in a name', () => {
    const name = '\u05d0\u200f 1 \u061c\u0627\u200e';
    expect(read({ ...company, name })).toMatchObject({ company: { name } });
  });

  test('can be parsed as a void, which removes a metric’s value, with or without a reason', () => {
    const record = { type: 'void', company_id: 'co_harbor', key: 'arr', period: '2026-10-31' };
    const taken = { companyId: 'co_harbor', key: 'arr', period: '2026-10-31' };
    expect(read(record)).toEqual({ type: 'void', void: { ...taken, reason: null } });
    const reason = 'Wrong month.\nSee the ledger.';
    expect(read({ ...record, reason })).toEqual({ type: 'void', void: { ...taken, reason } });
  });

  test.each([null, 'Wrong month'])(
    'can be parsed as an exported revision that was voided with the reason %s',
    (void_reason) => {
      const line = { ...metric, raw_value: null, value: null, void_reason, revision: 2 };
      expect(read(line)).toMatchObject({
        type: 'exported',
        revision: 2,
        metric: { rawValue: null, value: null, voidReason: void_reason },
      });
    },
  );

  test('can be parsed as a source', () => {
    expect(read(source)).toEqual({
      type: 'source',
      source: {
        companyId: 'co_harbor',
        provider: 'mercury',
        status: 'connected',
        accountName: 'Operating account',
        lastSyncedAt: new Date(synced),
        expectedEvery: null,
        staleAt: null,
      },
    });
    expect(read({ ...source, expected_every: null })).toEqual(read(source));
  });

  test('can be parsed as a source with its sync interval and the time when the source becomes stale', () => {
    const staleAt = (expected_every: string) => {
      const record = read({ ...source, expected_every });
      if (record.type !== 'source') throw new Error(`a ${record.type}`);
      expect(record.source.expectedEvery).toBe(expected_every);
      return record.source.staleAt?.toISOString();
    };
    expect(staleAt('PT1H')).toBe('2026-11-01T05:00:00.000Z');
    expect(staleAt('P1D')).toBe('2026-11-02T04:00:00.000Z');
    expect(staleAt('P7D')).toBe('2026-11-08T04:00:00.000Z');
    expect(staleAt('P1M')).toBe('2026-12-01T04:00:00.000Z');
  });

  test('can be parsed as an account, with all fields of the line', () => {
    expect(read({ ...account, id: 'acc-1', balance: '($1.2K)', last_four: '48Zz' })).toEqual({
      type: 'account',
      account: {
        id: 'acc-1',
        companyId: 'co_harbor',
        provider: 'mercury',
        name: 'Operating account',
        type: 'bank',
        currency: 'USD',
        balance: '($1.2K)',
        rawBalance: '-1200',
        lastFour: '48Zz',
        lastSyncedAt: new Date(synced),
      },
    });
  });
});

describe('a metric line without an optional field', () => {
  test('gets a default for the field, for example the confidence “unknown”', () => {
    expect(readMetric()).toMatchObject({
      label: 'Cash balance',
      currency: null,
      verification: { verified: false, signed: false },
      confidence: 'unknown',
      value: '1,250.5',
      category: 'other',
      asOf: new Date(synced),
    });
  });

  test('gets a display value: raw_value, formatted in the currency of the line', () => {
    expect(readMetric({ currency: 'USD' }).value).toBe('$1,250.50');
    expect(readMetric({ currency: null }).value).toBe('1,250.5');
  });

  test.each([
    ['burn_rate', 'Burn rate'],
    ['arr', 'Arr'],
    ['net.new-arr__q', 'Net new arr q'],
    ['x_', 'X'],
    ['MRR', 'MRR'],
  ])('gets a label made from the metric key: %s → %s', (key, label) => {
    expect(readMetric({ key }).label).toBe(label);
  });
});

describe('an account line without an optional field', () => {
  test('gets a balance formatted from raw_balance, and null as last_four', () => {
    expect(readAccount()).toMatchObject({ balance: '-$1,200', lastFour: null });
    expect(readAccount({ last_four: null }).lastFour).toBeNull();
  });

  test('gets an id made from its constant fields, so the account keeps its id', () => {
    const { id } = readAccount();
    expect(id).toMatch(/^acc_[0-9a-f]{24}$/);
    expect(readAccount({ raw_balance: 7, balance: 'USD 7' }).id).toBe(id);
    expect(readAccount({ last_synced_at: '2026-11-02T04:00:00Z' }).id).toBe(id);
    expect(readAccount({ last_four: null }).id).toBe(id);
  });

  test('gets the same id in every version of the service, so the account isn’t duplicated', () => {
    expect(readAccount().id).toBe('acc_372e0730f85c020705e319cd');
  });

  test.each([
    { company_id: 'co_other' },
    { provider: 'brex' },
    { name: 'Savings' },
    { account_type: 'credit' },
    { currency: 'EUR' },
    { last_four: '4821' },
  ])('gets another id if one of the constant fields differs: %o', (change) => {
    expect(readAccount(change).id).not.toBe(readAccount().id);
  });
});

describe('the amount of an import line', () => {
  const line = (raw: string) => JSON.stringify(metric).replace('1250.5', raw);
  const rawValueOf = (text: string) => {
    const record = read(text);
    return record.type === 'metric' ? record.metric.rawValue : null;
  };

  test('keeps every digit of a number', () => {
    const raw = '1234567890123456789012345.123456789012';
    expect(rawValueOf(line(raw))).toBe(raw);
    const balance = read(JSON.stringify(account).replace('-1200', raw));
    expect(balance.type === 'account' && balance.account.rawBalance).toBe(raw);
  });

  test.each(['1e26', `0.${'0'.repeat(25)}1`, '1e999'])(
    'is refused if it has too many digits: %s',
    (raw) => {
      expect(reasonOf(line(raw))).toBe(
        'raw_value: has more than 25 digits before or after the point',
      );
    },
  );

  test.each(['1234.5678901234567890', '-0.10', '12345678901234567890', '0'])(
    'keeps every digit if it is written as a text: %s',
    (raw) => {
      expect(rawValueOf(line(`"${raw}"`))).toBe(parseDecimal(raw));
    },
  );

  test.each(['"1e3"', '"+1"', '"007"', '"1,5"', '".5"', '"5."', '" 1"', '""', '"many"'])(
    'is refused if its text isn’t a plain decimal number: %s',
    (raw) => {
      expect(reasonOf(line(raw))).toBe('raw_value: is not a number');
    },
  );

  test.each([
    ['true', 'a boolean'],
    ['null', 'null'],
    ['{"text":"5"}', 'an object'],
    ['[5]', 'an array'],
  ])('is refused if it is neither a number nor a text: %s', (raw, type) => {
    expect(reasonOf(line(raw))).toBe(`raw_value: must be a number, not ${type}`);
  });
});

test('a number is refused instead of rounded if the JavaScript runtime hides its digits', () => {
  const { parse } = JSON;
  const spy = vi.spyOn(JSON, 'parse');
  onTestFinished(() => spy.mockRestore());
  spy.mockImplementation((text, reviver) =>
    parse(text, (key, value) => reviver?.call(undefined, key, value)),
  );
  expect(reasonOf(metric)).toBe('raw_value: is not a number');
});

const voided = { type: 'void', company_id: 'co_harbor', key: 'arr', period: '2026-10-31' };

describe('a refused import line', () => {
  const noType = 'is not one of company, metric, source, account, void, portfolio';

  test.each([
    ['{"type":', 'is not valid JSON'],
    ['{} {}', 'is not valid JSON'],
    ['', 'is not valid JSON'],
    ['[]', 'must be an object, not an array'],
    ['7', 'must be an object, not a number'],
    ['{"type":"person"}', `type: ${noType}`],
    ['{}', `type: ${noType}`],
  ])('is reported with a reason if it is the text %j', (line, reason) => {
    expect(reasonOf(line)).toBe(reason);
  });

  const noCurrency = 'is not a three-letter currency code';
  const noInstant = 'must be a date and time with a time zone, like 2026-11-02T09:30:00Z';
  const noDate = 'must be a date like 2026-11-02';
  const outOfYears = 'is outside the years 1 to 9999';
  const noDuration = 'is not an ISO 8601 duration like PT1H, P7D or P1M';
  const outOfRange = 'is not from PT1S to P10Y';
  const noCompanyId = 'doesn’t have the form co_…';
  const noText = 'must be a string, not a number';
  const noEnd = 'is not four characters';

  const lines = { company, metric, source, account, void: voided };
  test.each<[keyof typeof lines, field: string, value: unknown, reason: string]>([
    ['company', 'id', 'harbor', noCompanyId],
    ['company', 'name', '', 'is empty'],
    ['company', 'name', ' Harbor', 'begins or ends with a space'],
    ['company', 'name', 'n'.repeat(201), 'is longer than 200 characters'],
    ['company', 'name', 'a\nb', notPlain],
    ['company', 'name', 'a\u0000', notPlain],
    ['company', 'name', 'a\u202eb', notPlain],
    ['company', 'name', 7, noText],
    ['metric', 'company_id', 'co_ harbor', noCompanyId],
    ['metric', 'key', 'cash balance', 'is not a metric key'],
    ['metric', 'currency', 'usd', noCurrency],
    ['metric', 'period', '2026-02-30', noDate],
    ['metric', 'period', 'never', noDate],
    ['metric', 'period', '0000-12-31', outOfYears],
    ['metric', 'raw_value', null, 'must be a number, not null'],
    ['source', 'provider', 'a\u001b[2J', notPlain],
    ['source', 'last_synced_at', '2026-11-01T04:00:00', noInstant],
    ['source', 'last_synced_at', '2026-11-01', noInstant],
    ['source', 'last_synced_at', '2026-02-30T04:00:00Z', noInstant],
    ['source', 'last_synced_at', '0000-12-31T23:59:59Z', outOfYears],
    ['source', 'last_synced_at', '0001-01-01T00:00:00+00:01', outOfYears],
    ['source', 'last_synced_at', '9999-12-31T23:59:59-00:01', outOfYears],
    ['source', 'expected_every', '1 day', noDuration],
    ['source', 'expected_every', '-P1D', noDuration],
    ['source', 'expected_every', '', noDuration],
    ['source', 'expected_every', 3600, noText],
    ['source', 'expected_every', 'PT0S', outOfRange],
    ['source', 'expected_every', 'P11Y', outOfRange],
    ['account', 'account_type', 7, noText],
    ['account', 'currency', 'USDT', noCurrency],
    ['account', 'currency', '-USD', noCurrency],
    ['account', 'id', 'a b', 'is not an id'],
    ['account', 'id', 'a'.repeat(65), 'is not an id'],
    ['account', 'id', '', 'is not an id'],
    ['account', 'last_four', '482', noEnd],
    ['account', 'last_four', '48210', noEnd],
    ['account', 'last_four', '48 1', noEnd],
    ['void', 'key', '!', 'is not a metric key'],
    ['void', 'reason', '', 'is empty'],
    ['void', 'reason', 'x'.repeat(1001), 'is longer than 1000 characters'],
  ])(
    'is reported with the name of its wrong field: a %s with %s = %j',
    (type, field, value, reason) => {
      expect(reasonOf({ ...lines[type], [field]: value })).toBe(`${field}: ${reason}`);
    },
  );

  test.each([
    ['an unknown environment', { ...company, environment: 'prod' }, /^environment: .+/],
    ['an unknown account type', { ...account, account_type: 'purse' }, /^account_type: .+/],
    [
      'a hidden character in a reason',
      { ...voided, reason: 'a\u202eb' },
      /^reason: contains a con/,
    ],
  ])('is reported with a reason if it has %s', (_what, line, reason) => {
    expect(reasonOf(line)).toMatch(reason);
  });

  const unsigned = 'verification.signed: must be true with a signature, and false without one';
  test.each([
    [{ signed: true, signature: 'x' }, 'verification.signature: is not a compact JWS'],
    [{ signed: true }, unsigned],
    [{ signature: 'a.b.c' }, unsigned],
  ])('is reported with a reason if its verification has %j', (verification, reason) => {
    const line = { ...metric, verification: { verified: true, ...verification } };
    expect(reasonOf(line)).toBe(reason);
  });

  test('is reported with a reason if its source system contains a character that changes the text direction', () => {
    const line = { ...metric, source: { ...metric.source, system: 'a\u202ab' } };
    expect(reasonOf(line)).toBe(`source.system: ${notPlain}`);
  });

  test('is reported with a reason if its source becomes stale after the year 9999', () => {
    const line = { ...source, last_synced_at: '9999-12-31T23:59:59Z', expected_every: 'PT1S' };
    expect(reasonOf(line)).toBe('expected_every: leads to a time after the year 9999');
  });

  test('is reported with a reason if a voided revision has a value, or if a value has a void_reason', () => {
    expect(reasonOf({ ...metric, revision: 2, raw_value: null, value: '$1' })).toBe(
      'value: must be null, because raw_value is null',
    );
    expect(reasonOf({ ...metric, revision: 2, void_reason: 'x' })).toBe(
      'void_reason: is allowed only if raw_value is null',
    );
  });

  test('is reported with the path of each wrong field if several fields are wrong', () => {
    const line = { ...metric, key: '?', raw_value: 'x', source: { ...metric.source, system: '' } };
    expect(reasonOf(line)).toBe(
      'key: is not a metric key; source.system: is empty; raw_value: is not a number',
    );
  });

  const required = [company, metric, source, account].flatMap((line) =>
    Object.keys(line).map((field) => [line.type, field, line] as const),
  );
  test.each(required)(
    'is reported with a reason if a line of the type %s has no %s',
    (_type, field, line) => {
      const { [field as 'type']: _left, ...rest } = line;
      expect(reasonOf(rest)).toBe(`${field}: ${field === 'type' ? noType : 'is missing'}`);
    },
  );

  test.each(['system', 'method', 'last_synced'] as const)(
    'is reported with a reason if a metric has no source.%s',
    (field) => {
      const { [field]: _left, ...rest } = metric.source;
      expect(reasonOf({ ...metric, source: rest })).toBe(`source.${field}: is missing`);
    },
  );

  test.each(['label', 'confidence', 'value', 'category'])(
    'is reported with a reason if a metric has an empty %s',
    (field) => {
      expect(reasonOf({ ...metric, [field]: '' })).toBe(`${field}: is empty`);
    },
  );

  test('is reported with a reason if a metric has an empty verification', () => {
    expect(reasonOf({ ...metric, verification: {} })).toBe('verification.verified: is missing');
  });
});

describe('an import line with the lowest or highest allowed value', () => {
  test.each(['0001-01-01', '9999-12-31'])('is accepted with the period %s', (period) => {
    expect(readMetric({ period }).period).toBe(period);
  });

  test.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
    'is accepted with the as_of %s',
    (text) => {
      expect(readMetric({ as_of: text }).asOf.toISOString()).toBe(text);
    },
  );

  test('is accepted with a name of 200 characters', () => {
    expect(read({ ...company, name: 'n'.repeat(200) }).type).toBe('company');
  });

  test('is accepted with an account id of 64 letters, digits, underscores and hyphens', () => {
    const id = `aZ09_-${'x'.repeat(58)}`;
    expect(readAccount({ id }).id).toBe(id);
  });
});

describe('the parser of import lines', () => {
  function outcome(line: string): void {
    const parsed = parseImportLine(line, nodeCryptography);
    if (!parsed.ok) expect(parsed.problems).not.toEqual([]);
  }

  test('accepts or refuses any text, and gives a reason for each refusal', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), outcome));
  });

  test('accepts or refuses any JSON value, and gives a reason for each refusal', () => {
    fc.assert(fc.property(fc.json(), outcome));
  });

  test('accepts or refuses a record with random changes, and gives a reason for each refusal', () => {
    const mutilated = fc
      .tuple(
        fc.constantFrom<object>(company, metric, source, account),
        fc.dictionary(fc.constantFrom(...Object.keys({ ...metric, ...account })), fc.jsonValue()),
      )
      .map(([record, changes]) => JSON.stringify({ ...record, ...changes }));
    fc.assert(fc.property(mutilated, outcome), { numRuns: 200 });
  });

  test('refuses JSON that is too deeply nested for the JSON parser, without throwing an error', () => {
    outcome(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  });

  test('accepts only dates and times that have an RFC 3339 form', () => {
    const part = (min: number, max: number, length: number) =>
      fc.integer({ min, max }).map((number) => String(number).padStart(length, '0'));
    const instants = fc
      .tuple(
        fc.tuple(part(0, 9999, 4), part(0, 13, 2), part(0, 32, 2)).map((parts) => parts.join('-')),
        fc.tuple(part(0, 24, 2), part(0, 60, 2), part(0, 60, 2)).map((parts) => parts.join(':')),
        fc.constantFrom('', '.1', '.123456789123456789'),
        fc.constantFrom('Z', '+00:00', '-00:00', '+14:00', '-23:59', '+24:00'),
      )
      .map(([date, time, fraction, zone]) => `${date}T${time}${fraction}${zone}`);
    fc.assert(
      fc.property(instants, (last_synced_at) => {
        const line = JSON.stringify({ ...source, last_synced_at });
        const parsed = parseImportLine(line, nodeCryptography);
        if (!parsed.ok) return;
        const { record } = parsed;
        const instant = record.type === 'source' ? record.source.lastSyncedAt.toISOString() : '';
        expect(instant).toMatch(/^\d{4}-/);
      }),
      { numRuns: 400 },
    );
  });
});
