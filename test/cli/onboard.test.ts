import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Composition } from '../../gateway/compose.ts';
import { closedAfterAll } from '../support/closed.ts';
import { createFixtures } from '../support/fixtures.ts';
import { openOwnDatabase } from './database.ts';
import { type Json, runCommand } from './harness.ts';

const { composition, folder } = await closedAfterAll(openOwnDatabase());
const fixtures = createFixtures(composition.operatorUseCases, composition.investorUseCases);

const run = (...commandLine: string[]) => runCommand(['onboard', ...commandLine], { composition });

const onboardBy = (composition: Composition, document: object, ...options: string[]) =>
  runCommand(['onboard', '-', ...options], { composition, stdin: [JSON.stringify(document)] });
const onboard = (document: object, ...options: string[]) =>
  onboardBy(composition, document, ...options);

/** The lines of --json: one for each step, and a last one for the whole run. */
function told({ stdout }: { readonly stdout: string }): Json {
  const lines: Json[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const isStep = ({ object }: Json) => object === 'onboarding_step';
  const [whole, ...others] = lines.filter((line) => !isStep(line));
  expect(others).toEqual([]);
  expect(lines.at(-1)).toBe(whole);
  return { ...whole, steps: lines.filter(isStep) };
}

const json = async (document: object, ...options: string[]): Promise<Json> =>
  told(await onboard(document, '--json', ...options));

let count = 0;

/** A document with names that occur nowhere else. */
function aDocument() {
  count += 1;
  return {
    environment: 'live',
    investor: {
      name: `North Capital ${count}`,
      contacts: [{ email: `analyst@north${count}.example`, role: 'member' }],
      keys: [{ name: 'Nightly report', scopes: ['companies:read', 'metrics:read'] }],
    },
    company: {
      id: `co_harbor_${count}`,
      name: `Harbor Robotics ${count}`,
      contacts: [
        { email: `board@harbor${count}.example`, role: 'admin' },
        { email: `cfo@harbor${count}.example`, role: 'approver' },
      ],
      keys: [{ name: 'Ledger', scopes: ['data:write'], source: 'DATEV' }],
    },
  };
}

type Operator = Composition['operatorUseCases'];

function replacing<Act extends keyof Operator>(
  act: Act,
  replace: (original: Operator[Act]) => (input: never) => Promise<unknown>,
): Composition {
  const { operatorUseCases: operator } = composition;
  return {
    ...composition,
    operatorUseCases: { ...operator, [act]: replace(operator[act]) },
  };
}

const outcomes = ({ steps }: Json) =>
  steps.map(({ thing, outcome }: Json) => `${thing}: ${outcome}`);

const everything = [
  ...['investor', 'company', 'portfolio', 'contact', 'contact', 'contact'],
  ...['key', 'company_key'],
];
const all = (outcome: string) => everything.map((thing) => `${thing}: ${outcome}`);

/** Reads everything that the command could change. */
async function everythingThere() {
  const { operatorUseCases: operator } = composition;
  const { mails } = await operator.listMails({ limit: 10_000 });
  return {
    investors: await operator.listInvestors(),
    companies: await operator.listCompanies(),
    portfolios: await operator.listPortfolios({ limit: 100_000 }),
    contacts: await operator.listContacts(),
    apiKeys: await operator.listApiKeys(),
    companyKeys: await operator.listCompanyKeys(),
    mails: mails.length,
  };
}

test('onboard creates everything that is missing, and the secrets of the new keys work', async () => {
  const document = aDocument();
  const made = await json(document);
  expect(made).toEqual({
    object: 'onboarding',
    dry_run: false,
    complete: true,
    steps: [
      { thing: 'investor', id: expect.stringMatching(/^inv_/), name: document.investor.name },
      { thing: 'company', id: document.company.id, name: document.company.name },
      {
        thing: 'portfolio',
        id: null,
        name: `${document.company.name} in the portfolio of ${document.investor.name}`,
      },
      ...[...document.investor.contacts, ...document.company.contacts].map(({ email: name }) => ({
        thing: 'contact',
        id: expect.stringMatching(/^ct_/),
        name,
      })),
      {
        thing: 'key',
        id: expect.stringMatching(/^key_/),
        name: 'Nightly report',
        secret: expect.stringMatching(/^svc_sk_live_/),
      },
      {
        thing: 'company_key',
        id: expect.stringMatching(/^ck_/),
        name: 'Ledger',
        secret: expect.stringMatching(/^svc_ck_live_/),
      },
    ].map((step) => ({ object: 'onboarding_step', ...step, outcome: 'created' })),
    mapping: null,
  });
  const { secret } = made.steps[6];
  expect(
    (await composition.operatorUseCases.listContacts({ companyId: document.company.id })).map(
      ({ role }) => role,
    ),
  ).toEqual(['admin', 'approver']);
  expect((await fixtures.request(secret, document.company.id)).status).toBe('pending');
  const [ledger] = await composition.operatorUseCases.listCompanyKeys({
    companyId: document.company.id,
  });
  expect(ledger).toMatchObject({ scopes: ['data:write'], source: 'DATEV' });
  const { mails } = await composition.operatorUseCases.listMails({ limit: 10_000 });
  expect(
    mails
      .filter(({ to }) => document.company.contacts.some(({ email }) => email === to))
      .map(({ kind }) => kind)
      .toSorted(),
    // The first admin gets notices about the second contact and the key.
  ).toEqual(['contact_invited', 'contact_invited', 'settings_changed', 'settings_changed']);
});

test('a second run of onboard changes nothing, reports each item as existing, and shows no secret', async () => {
  const document = aDocument();
  await json(document);
  const before = await everythingThere();
  const again = await json(document);
  expect(outcomes(again)).toEqual(all('existing'));
  expect(JSON.stringify(again)).not.toContain('svc_');
  const { exitCode, stdout } = await onboard(document);
  expect(exitCode).toBe(0);
  expect(stdout.match(/exists already$/gm)).toHaveLength(everything.length);
  expect(stdout).toContain('Nothing was changed: everything exists already.');
  expect(await everythingThere()).toEqual(before);
});

test('onboard without --json prints what it has created, and each secret once', async () => {
  const { stdout } = await onboard(aDocument());
  expect(stdout).toMatch(/^investor +North Capital \d+ +inv_\w+ +created$/m);
  expect(stdout).toMatch(/^key_\w+ +svc_sk_live_\w{32}$/m);
  expect(stdout).toMatch(/^ck_\w+ +svc_ck_live_\w{32}$/m);
  expect(stdout).toContain('Store the secrets now');
});

test('a dry run of onboard prints what it would create, and changes nothing', async () => {
  const document = aDocument();
  const before = await everythingThere();
  const rehearsed = await json(document, '--dry-run');
  expect(rehearsed).toMatchObject({ dry_run: true, complete: true });
  expect(outcomes(rehearsed)).toEqual(all('would_create'));
  expect(await everythingThere()).toEqual(before);
  await json(document);
  expect(outcomes(await json(document, '--dry-run'))).toEqual(all('existing'));
});

test.each([
  ['addToPortfolio', ['investor: created', 'company: created']],
  ['addContact', ['investor: created', 'company: created', 'portfolio: created']],
  ['createCompanyKey', all('created').slice(0, -1)],
] as const)(
  'a run of onboard that fails at %s prints what it has created, and the next run creates the rest',
  async (act, done) => {
    const document = aDocument();
    const dying = replacing(act, () => () => Promise.reject(new Error('in the middle')));
    const outcome = await onboardBy(dying, document, '--json');
    expect(outcome.exitCode).toBe(1);
    expect(told(outcome)).toMatchObject({ complete: false });
    expect(outcomes(told(outcome))).toEqual(done);
    const completed = await json(document);
    expect(outcomes(completed)).toEqual(
      all('created').map((step, index) => (index < done.length ? all('existing')[index] : step)),
    );
    expect(outcomes(await json(document))).toEqual(all('existing'));
  },
);

test.each([
  ['without --json', [], /^key_\w+ +svc_sk_live_\w{32}$/m],
  ['with --json', ['--json'], /"secret":"svc_sk_live_\w{32}"}$/m],
])(
  'a secret is printed before the next step starts, because the run may be killed: %s',
  async (_, options, secret) => {
    let shown = '';
    let shownBefore = '';
    const watched = replacing('createCompanyKey', (act) => async (input) => {
      shownBefore = shown;
      return act(input);
    });
    await runCommand(['onboard', '-', ...options], {
      composition: watched,
      stdin: [JSON.stringify(aDocument())],
      onStdout: (text) => {
        shown += text;
      },
    });
    expect(shownBefore).toMatch(secret);
    expect(shownBefore).not.toContain('svc_ck_live_');
    expect(shown).toContain('svc_ck_live_');
  },
);

describe('while another run of onboard handles the same document', () => {
  /** During the command's first call of the use case, another run completes: before or after the original call. */
  async function runBeside(act: 'listCompanies' | 'createInvestor', isBefore: boolean) {
    const document = aDocument();
    let other: Json = null;
    const beside = replacing(act, (original) => async (input) => {
      const isFirst = other === null;
      other ??= {};
      const answer = isBefore ? null : await original(input);
      if (isFirst) other = await json(document);
      return answer ?? original(input);
    });
    const outcome = await onboardBy(beside, document, '--json');
    return { outcome, other, document };
  }

  test('the items of the other run are found, and not created twice', async () => {
    const { outcome, other } = await runBeside('listCompanies', false);
    expect(outcomes(other)).toEqual(all('created'));
    expect(outcome.exitCode).toBe(0);
    expect(outcomes(told(outcome))).toEqual(all('existing'));
  });

  test('an item that both runs create is reported as a duplicate, and the run stops', async () => {
    const { outcome, other, document } = await runBeside('createInvestor', true);
    const [own, ...more] = told(outcome).steps;
    expect({ exitCode: outcome.exitCode, more }).toEqual({ exitCode: 1, more: [] });
    expect(told(outcome)).toMatchObject({ complete: false });
    expect(outcome.stderr).toContain(`several are called "${document.investor.name}"`);
    for (const { id } of [own, other.steps[0]]) expect(outcome.stderr).toContain(id);
    expect(outcome.stderr).toMatch(
      /^error: .*so the run was stopped: other changes were made during the run$/m,
    );
    const { companies, companyKeys } = await everythingThere();
    expect(companies.filter(({ name }) => name === document.company.name)).toHaveLength(1);
    expect(companyKeys.filter(({ companyId }) => companyId === document.company.id)).toHaveLength(
      1,
    );
  });
});

describe('a contradiction to existing data', () => {
  async function refused(document: object, ...options: string[]): Promise<string> {
    const before = await everythingThere();
    const { exitCode, stdout, stderr } = await onboard(document, ...options);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(await everythingThere()).toEqual(before);
    expect(stderr).toMatch(
      /^error: the existing data contradicts the request, so nothing was changed$/m,
    );
    return stderr;
  }

  test('is reported before any change, and all contradictions are reported together', async () => {
    const { id } = await fixtures.investor('test');
    const company = await fixtures.company('test');
    const document = aDocument();
    const stderr = await refused({
      ...document,
      investor: { ...document.investor, id, name: 'Another' },
      company: { ...document.company, id: company.id, name: 'Another too' },
    });
    expect(stderr).toContain(`the investor ${id} belongs to the test environment, not to live`);
    expect(stderr).toContain(`the investor ${id} is called "Investor`);
    expect(stderr).toContain(
      `the company ${company.id} belongs to the test environment, not to live`,
    );
    expect(stderr).toContain(`the company ${company.id} is called "${company.name}", not "Another`);
  });

  test('is reported before any change if an id is unknown', async () => {
    const document = { environment: 'live', investor: { id: 'inv_x' }, company: { id: 'co_x' } };
    const stderr = await refused(document);
    expect(stderr).toContain('the investor inv_x doesn’t exist');
    expect(stderr).toContain('the company co_x doesn’t exist');
  });

  test('is reported before any change if several companies have the given name', async () => {
    const first = await fixtures.company('live', 'Twins');
    const second = await fixtures.company('live', 'Twins');
    const stderr = await refused({ environment: 'live', company: { name: 'Twins' } });
    expect(stderr).toContain('so name the company by its id');
    for (const { id } of [first, second]) expect(stderr).toContain(id);
  });

  test('is reported before any change if a key has other rights or has ended', async () => {
    const document = aDocument();
    const [key] = (await json(document)).steps.filter(({ thing }: Json) => thing === 'key');
    const changed = {
      name: 'Nightly report',
      scopes: ['companies:read'],
      expires_at: '2037-01-01',
      rate_limit: 7,
    };
    const { investor } = document;
    const stderr = await refused({ ...document, investor: { ...investor, keys: [changed] } });
    expect(stderr).toContain('has the scopes companies:read,metrics:read, not companies:read');
    expect(stderr).toContain('ends never, not 2037-01-01T00:00:00.000Z');
    expect(stderr).toContain('has the limit of the service, not 7');
    const keys = [{ name: 'Ledger', scopes: ['data:read'], source: 'SAP' }];
    const ofCompany = await refused({ ...document, company: { ...document.company, keys } });
    expect(ofCompany).toContain('has the scopes data:write, not data:read');
    expect(ofCompany).toContain('may write data of DATEV, not of SAP');
    await composition.operatorUseCases.revokeApiKey({ id: key.id });
    expect(await refused(document)).toContain(`the key ${key.id}, "Nightly report", was revoked`);
  });

  test('is reported before any change if a new key has an end in the past', async () => {
    const document = aDocument();
    const keys = [{ name: 'Old', expires_at: '2020-01-01' }];
    const stderr = await refused({ ...document, company: { ...document.company, keys } });
    expect(stderr).toContain('the key "Old" would expire before it is created');
  });

  test('isn’t reported if a key was rotated, because its successor counts as the existing key', async () => {
    const document = aDocument();
    const { id } = (await json(document)).steps[6];
    await composition.operatorUseCases.rotateApiKey({ id, overlapMilliseconds: 60_000 });
    expect(outcomes(await json(document))).toEqual(all('existing'));
  });
});

test.each([
  [{}, 'environment: '],
  [{ environment: 'live' }, 'names no investor and no company'],
  [{ environment: 'live', investor: {} }, 'investor: has no id and no name'],
  [{ environment: 'live', company: { name: 'A', colour: 'red' } }, 'Unrecognized key: "colour"'],
  [{ environment: 'live', company: { name: 'A\u202eB' } }, 'company.name: must be a line'],
  [
    { environment: 'test', company: { id: 'co_test_x' } },
    'company.id: is reserved for the sandbox',
  ],
  [
    { environment: 'live', company: { name: 'A', contacts: ['a@b.example', 'A@b.example'] } },
    'company.contacts: contains a duplicate',
  ],
  [
    { environment: 'live', investor: { name: 'A', keys: [{ name: 'K', scopes: ['all'] }] } },
    'investor.keys.0.scopes.0',
  ],
  [
    { environment: 'live', company: { name: 'A', keys: [{ name: 'K', expires_at: 'soon' }] } },
    'company.keys.0.expires_at: It must be a date',
  ],
  [{ environment: 'live', investor: { name: 'A' }, mapping: 'm.json' }, 'mapping: needs a company'],
])(
  'an invalid document is rejected before the database is opened: %j',
  async (document, reason) => {
    const stdin = [JSON.stringify(document)];
    const { exitCode, stderr } = await runCommand(['onboard', '-'], { stdin });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: stdin is invalid: /);
    expect(stderr).toContain(reason);
  },
);

test('options can replace a file, but a file and options together are rejected', async () => {
  const { investor, company } = aDocument();
  const options = [
    ['--env', 'live', '--investor', investor.name, '--company', company.name],
    ['--company-id', company.id, '--key', 'Nightly report=companies:read,metrics:read'],
    ...company.contacts.map(({ email }) => ['--contact', email]),
    ...investor.contacts.map(({ email }) => ['--investor-contact', email]),
    ['--company-key', 'Ledger=data:write'],
  ].flat();
  const made = told(await run(...options, '--json'));
  expect(outcomes(made)).toEqual(all('created'));
  const keys = [{ name: 'Ledger' }];
  const addresses = (contacts: readonly { email: string }[]) => contacts.map(({ email }) => email);
  const same = {
    environment: 'live',
    investor: { ...investor, contacts: addresses(investor.contacts) },
    company: { ...company, contacts: addresses(company.contacts), keys },
  };
  expect(outcomes(await json(same))).toEqual(all('existing'));
  const byId = await run('--env', 'live', '--investor', made.steps[0].id, '--json');
  expect(outcomes(told(byId))).toEqual(['investor: existing']);
  const both = await run('a.json', '--env', 'live');
  expect(both).toMatchObject({
    exitCode: 2,
    stderr: 'error: use a file or options, not both\n',
  });
  const unclear = await run('--env', 'live', '--key', 'Nightly report');
  expect(unclear.exitCode).toBe(2);
  expect(unclear.stderr).toContain('It must be a name and scopes');
});

describe('many companies in one file', () => {
  function aPortfolio() {
    const { company, ...rest } = aDocument();
    const companies = [1, 2, 3].map((number) => ({
      ...company,
      id: `${company.id}_${number}`,
      name: `${company.name} (${number})`,
    }));
    return { ...rest, companies };
  }
  const ofCompany = everything.slice(everything.indexOf('company_key'));
  const perCompany = ['company', 'portfolio', 'contact', 'contact', ...ofCompany];
  const perInvestor = ['investor', 'contact', 'key'];

  test('are created in one portfolio, and a second run changes nothing', async () => {
    const document = aPortfolio();
    const made = await json(document);
    const expected = [...perInvestor, ...document.companies.flatMap(() => perCompany)];
    expect(outcomes(made).toSorted()).toEqual(
      expected.map((each) => `${each}: created`).toSorted(),
    );
    const investorId = made.steps[0].id;
    const portfolio = { investorId, limit: 10 };
    const { memberships } = await composition.operatorUseCases.listPortfolios(portfolio);
    expect(memberships.map(({ company }) => company.id).toSorted()).toEqual(
      document.companies.map(({ id }) => id),
    );
    const before = await everythingThere();
    const again = await json(document);
    expect(outcomes(again).filter((outcome: string) => !outcome.endsWith('existing'))).toEqual([]);
    expect(await everythingThere()).toEqual(before);
  });

  test.each([',', ';'])('are read from a CSV file with the delimiter %s', async (delimiter) => {
    const { investor, companies } = aPortfolio();
    const path = join(folder, 'companies.csv');
    const rows = companies.map(({ id, name, contacts: [board, cfo] }) =>
      [id, `"${name}"`, `${board?.email} ${cfo?.email}=approver`].join(delimiter),
    );
    await writeFile(
      path,
      `\ufeff${['ID', 'name', 'contacts'].join(delimiter)}\r\n${rows.join('\r\n')}`,
    );
    const options = [
      '--env',
      'live',
      '--investor',
      investor.name,
      '--company-key',
      'Ledger=data:write',
    ];
    const made = told(await run(path, ...options, '--json'));
    const expected = ['investor', ...companies.flatMap(() => perCompany)];
    expect(outcomes(made)).toEqual(expected.map((each) => `${each}: created`));
    const document = {
      environment: 'live',
      investor: { name: investor.name },
      companies: companies.map((each) => ({ ...each, keys: [] })),
    };
    expect(outcomes(await json(document))).not.toContain('contact: created');
  });

  test('cause an error that contains the invalid row or column of the file', async () => {
    const path = join(folder, 'wrong.csv');
    const refusal = async (text: string, ...options: string[]) => {
      await writeFile(path, text);
      return (await run(path, '--env', 'live', ...options)).stderr;
    };
    expect(await refusal('id,name\nco_a,A\nb,B\n')).toContain('row 2.id: must be co_');
    expect(await refusal('id,town\nco_a,A\n')).toContain('unknown columns: town');
    expect(await refusal('id,name\nco_a\n')).toContain("isn't valid CSV");
    expect(await refusal('id\nco_a\n', '--company', 'A')).toContain('each row names its company');
  });
});

describe('a mapping', () => {
  const mapping = {
    numbers: { decimal_mark: ',' },
    records: [
      {
        type: 'metric',
        fields: {
          key: { value: 'cash_balance' },
          period: { value: '2026-10-31' },
          raw_value: { column: 'Saldo' },
          'source.system': { value: 'DATEV' },
          'source.method': { value: 'file' },
          'source.last_synced': { value: '2026-11-01T04:00:00Z' },
        },
      },
    ],
  };

  test('is stored with the id of the company, and works for an import', async () => {
    const { company } = aDocument();
    const path = join(folder, `onboard${count}.json`);
    const kept = join(folder, `kept${count}.json`);
    await writeFile(join(folder, 'ledger.json'), JSON.stringify(mapping));
    await writeFile(
      path,
      JSON.stringify({
        environment: 'live',
        company: { name: company.name },
        mapping: 'ledger.json',
      }),
    );
    const made = told(await run(path, '--mapping-out', kept, '--json'));
    const { id } = made.steps[0];
    expect(made.mapping).toEqual({ ...mapping, fields: { company_id: { value: id } } });
    expect(JSON.parse(await readFile(kept, 'utf8'))).toEqual(made.mapping);
    const again = told(await run(path, '--mapping-out', kept, '--json'));
    expect(again.mapping).toEqual(made.mapping);
    const { stdout } = await runCommand(
      ['import', '-', '--format', 'csv', '--mapping', kept, '--json'],
      { composition, stdin: ['Saldo\n"12,5"\n'] },
    );
    expect(JSON.parse(stdout)).toMatchObject({ inserted: 1 });
  });

  test('is rejected before any change if it is invalid, belongs to another company, or would replace another file', async () => {
    const document = aDocument();
    const kept = join(folder, `other${count}.json`);
    await writeFile(kept, '{}');
    const before = await everythingThere();
    const wrong = await onboard({ ...document, mapping: { ...mapping, numbers: undefined } });
    expect(wrong.stderr).toContain('numbers: is missing');
    const fields = { company_id: { value: 'co_other' } };
    const foreign = await onboard({ ...document, mapping: { ...mapping, fields } });
    expect(foreign.stderr).toContain(`the mapping is for co_other, not for ${document.company.id}`);
    const other = await onboard({ ...document, mapping }, '--mapping-out', kept);
    expect(other.stderr).toContain(`${kept} contains a different mapping`);
    expect(await onboard(document, '--mapping-out', kept)).toMatchObject({ exitCode: 2 });
    expect(await readFile(kept, 'utf8')).toBe('{}');
    expect(await everythingThere()).toEqual(before);
  });
});
